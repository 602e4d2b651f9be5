// Runs settings.py in the Python of a built laboratory: node core.mjs <lab> <settings.py> cheap:<stem> ten:<stem> …
// Prints one JSON document.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [lab, settings, ...asked] = process.argv.slice(2);
const { pyodide, kit } = JSON.parse(readFileSync(`${lab}/manifest.json`, "utf8"));
const indexURL = `${lab}/${pyodide.path}`,
  quiet = { messageCallback: () => {} };
const { loadPyodide } = await import(pathToFileURL(`${indexURL}pyodide.mjs`).href);
const python = await loadPyodide({ indexURL, stdout: (text) => console.error(text) });
await python.loadPackage(["numpy", "scipy"], quiet);
python.unpackArchive(new Uint8Array(readFileSync(`${lab}/${kit.file}`)), "zip", { extractDir: "/kit" });
python.FS.writeFile("/kit/settings.py", readFileSync(settings));
python.globals.set("asked", JSON.stringify(asked.map((one) => one.split(":"))));
try {
  python.runPython(`
import json, sys, threading
sys.path.insert(0, "/kit")
from settings import LATE, computed, early, told
asked = json.loads(asked)
results = computed(one for one in asked if one[1] not in LATE)
before = early()`);
  await python.loadPackage("pandas", quiet);
  console.log(
    python.runPython(`
import numpy as np
from recprivlib.data import load
from recprivlib.parameters import UserError
try:
    refused = repr(load("ml-100k"))
except UserError as reason:
    refused = str(reason)
results |= computed(one for one in asked if one[1] in LATE)
json.dumps({
    "early": before, "told": told(results), "python": sys.version_info[:2],
    "intp": np.dtype(np.intp).itemsize, "threads": threading.active_count(), "refused": refused,
})`),
  );
} catch (error) {
  console.error(String(error).slice(-3000));
  process.exitCode = 1;
}
