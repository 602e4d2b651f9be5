// What the worker and the keeper of a laboratory are told. Read by tsc alone.

/** What tools/site.py writes: every file of the laboratory with what it has to be. */
interface Manifest {
  total: number;
  pyodide: { path: string; files: { name: string; sha256: string }[] };
  wheels: { name: string; file: string; sha256: string }[];
  kit: { file: string; sha256: string };
}
/** The reader's own ratings, as the page hands them over. */
interface Brought {
  file: string;
  called: string;
  bytes: ArrayBuffer;
  columns?: Record<string, string>;
}
/** As much of Pyodide as is used; its own types come with it, and it comes with a site. */
type Python = any;
type LoadPyodide = (how: Record<string, unknown>) => Promise<Python>;
