// What the scripts of the pages hand each other. Read by tsc alone: nothing of it reaches a page.

// What our selectors find is HTML, unless it is cast; and no script of ours stands inside a picture.
interface ParentNode {
  querySelector<K extends keyof HTMLElementTagNameMap>(selectors: K): HTMLElementTagNameMap[K] | null;
  querySelector<E extends Element = HTMLElement>(selectors: string): E | null;
  querySelectorAll<K extends keyof HTMLElementTagNameMap>(selectors: K): NodeListOf<HTMLElementTagNameMap[K]>;
  querySelectorAll<E extends Element = HTMLElement>(selectors: string): NodeListOf<E>;
}
interface SVGScriptElement {
  readonly src: string;
}
// A game's own traces for a figure; only the page knows them.
interface HTMLElementEventMap {
  own: CustomEvent<() => Trace[]>;
}
// Not in every browser, hence not in TypeScript's own list.
interface Navigator {
  readonly deviceMemory?: number;
  readonly connection?: { saveData?: boolean; type?: string };
}

/** An element with what it is to have, and what stands in it. */
type Make = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  about?: Record<string, unknown>,
  ...parts: (Node | string)[]
) => HTMLElementTagNameMap[K];

// ------------------------------------------------------------------------------------------------------ Plotly
interface Trace {
  [more: string]: any;
  name?: string;
  mode?: string;
  meta?: string;
}
interface Annotation {
  [more: string]: any;
  text: string;
  x: number;
  y: number;
}
interface Layout {
  [more: string]: any;
  annotations?: Annotation[];
}
interface Figure {
  data: Trace[];
  layout: Layout;
}
type Draws = (at: Element, data: Trace[], layout: Layout, config: Record<string, unknown>) => Promise<unknown>;
declare var Plotly: { react: Draws; newPlot: Draws };

// ------------------------------------------------------------------------------------------------- a path's figure
/** Settings as a link holds them: a control's name and its text. */
type Settings = Record<string, string>;
interface Stop {
  text: string;
  label: string;
  spoken: string;
}
interface Control {
  name: string;
  label: string;
  kind: string;
  place: string;
  start: string;
  log: boolean;
  needs: string;
  ends: [string, string];
  values: Stop[];
}
/** A drawing is a figure, or HTML. */
type Drawn = Figure | string;
interface About {
  name: string;
  title: string;
  axis: string;
}
/** What a figure changes against the first of its name: where, and to what. */
type Changes = [path: (string | number)[], value: any][];
/** What recprivlib/dashboard/frames.py writes for the path of a chapter. */
interface PathData {
  stem: string;
  title: string;
  dark: Record<string, string>;
  controls: Control[];
  figures: About[];
  base: Record<string, Figure>;
  pieces: any[];
  states: Record<string, number[]>;
  sketch: Sketch | null;
  predict: { question: string; answers: string[]; replies: string[]; hides: string[] } | null;
}
interface PathState {
  values: Settings;
  view: string[];
  ghosts: Settings[];
  guess: boolean;
  /** A question is still to come further down. */
  early?: boolean;
  /** The control that a word moves, and over which stops. */
  play?: string;
  stops?: string[];
}
interface Scene {
  say: string;
  brief: string;
  strip: string;
  figures: Record<string, Drawn>;
  says: Record<string, string>;
  /** Of each figure the controls that move it. */
  controls: Record<string, string[]>;
  filled?: boolean;
  aside?: string;
}
/** Computes the scene of a query, on a server or in the page's own Python. */
interface Ask {
  (query: URLSearchParams): Promise<{ told: any; ok: boolean }>;
  /** Begins its sentence, where it is about other people than the book's. */
  aside?: string;
  /** On whose data. */
  people?: string;
}
interface Stage {
  set(state: PathState): void;
  draw(): void;
  live(ask: Ask | null): void;
  pen(): void;
  picture(box: Element, state: PathState, size?: { width: number; height: number; strip?: boolean }): void;
  same(a: PathState, b: PathState): boolean;
  readonly state: PathState | null;
  readonly chips: HTMLElement;
}
/** How a figure has to fit. */
interface Fit {
  width: number;
  height: number;
  narrow: boolean;
  large: boolean;
  /** What was not given is left out. */
  veil: boolean;
  dark: boolean;
  /** Colours for light -> for dark. */
  swaps: Record<string, string>;
  /** How the names of lines begin that are kept back. */
  hides?: string[];
}
/** Where a figure is drawn; Plotly keeps the layout as drawn with it. */
type Canvas = HTMLElement & { written?: string; _fullLayout?: any };
type StageNews = "moved" | "answered" | "shown";

// ---------------------------------------------------------------------------------------------------- the pen
interface Sketch {
  figure: string;
  question: string;
  x: number[];
  truth: number[];
  low: number;
  high: number;
  least: number;
  digits: number;
  percent: boolean;
  at: string;
  tall: [string, string];
}
/** Where the axes of a drawing lie, in pixels, and what they show. */
interface Geometry {
  left: number;
  top: number;
  width: number;
  height: number;
  x: [number, number];
  y: [number, number];
  log: boolean;
}
interface Pen {
  show(known: Geometry, asking: boolean): void;
  hide(): void;
  compare(look: boolean): void;
  focus(): void;
  ready(): boolean;
  verdict(short: boolean): string;
  readonly begun: boolean;
}

// ------------------------------------------------------------------------------------------- frames without a server
interface StillControl {
  name: string;
  label: string;
  kind: string;
  start: number;
  at: number[];
  labels: string[];
  spoken: string[];
  ends: [string, string];
  figure: string;
}
/** What recprivlib/dashboard/frames.py writes for a dashboard. */
interface StillData {
  stem: string;
  title: string;
  dark: Record<string, string>;
  controls: StillControl[];
  figures: { name: string; title: string; place: string; height: number }[];
  base: (Figure | null)[];
  pieces: any[];
  states: Record<string, number[]>;
}

// ------------------------------------------------------------------------------------------------ living pictures
interface Colours {
  [name: string]: string;
  ink: string;
  page: string;
  secondary: string;
  paper: string;
  repaired: string;
  beyond: string;
  attack: string;
  popularity: string;
}
/** What the living pictures share (book/_static/living/living.js). */
interface Living {
  THIN: string;
  /** Does the reader want no motion? */
  still(): boolean;
  count(n: number): string;
  percent(share: number): string;
  epsilon(value: number | string, bound?: "" | "lower" | "upper"): string;
  fill(template: string, said: Record<string, string | number>): string;
  say(box: HTMLElement, text: string): void;
  chance(seed: number): () => number;
  normal(draw: () => number): number;
  laplace(u: number, scale: number): number;
  logistic(x: number): number;
  ease(t: number): number;
  /** `frames` are the gaps between the last frames, in milliseconds. */
  clock(box: HTMLElement, step: (gap: number) => boolean): { wake(): void; frames: number[] };
  make: Make;
  sized(canvas: HTMLCanvasElement): { pen: CanvasRenderingContext2D; wide: number; high: number; zoom: number };
  colours(box: HTMLElement, changed: () => void): Colours;
  segments(box: HTMLElement, pick: (value: string) => void): (value: string) => void;
  held(button: HTMLButtonElement, start: () => void, stop: () => void): () => void;
  /** What the link of this page says of this picture; null: nothing. */
  given(box: HTMLElement): string[] | null;
  linked(box: HTMLElement, values: () => (string | number)[]): void;
  wall(box: HTMLElement, drawn: () => void): void;
  picture(name: string, begin: (box: HTMLElement, told: any) => void): void;
}

/** What leaves a phone, on its way: half of it to the device, half to the stranger. */
interface Flight {
  film: number;
  week: number;
  t: number;
  from: number[];
  to: number[];
}
/** Where a device stands between the two sides. */
interface Area {
  x: number;
  y: number;
  wide: number;
  high: number;
  tall: boolean;
}
interface Scenery {
  epsilon: number;
  tilt: number;
  pulse: number;
  phase: number;
  bits: number;
  run: { each: number; bits: number; other: number; signs: string };
  /** How many times longer the noise is than one phone's part. */
  times: number;
  odds: number;
  truth: number[];
  names: string[];
  published: [count: number, mean: number][];
  bought: boolean;
  film: number;
  answer(film: number, week: number): number;
  onGrid(y: number): boolean;
  busy(x?: boolean): boolean;
  flights: Flight[];
  [more: string]: any;
}
type Device = (pen: CanvasRenderingContext2D, look: Colours, area: Area, it: Scenery) => void;

/** An answer of a question: whether it is right, pressed, and explained. */
interface CheckAnswer {
  right: boolean;
  mark(on: boolean): void;
  say(on: boolean): void;
}

/** The words of the interface in the reader's language (book/_static/words.js). */
interface Say {
  (words: TemplateStringsArray, ...places: unknown[]): string;
  /** A sentence that Python wrote. */
  of(text: string): string;
  /** Every text that stands in it. */
  page(box: Element): void;
  language: string;
}

interface Window {
  rpSay?: Say;
  /** What each language says, by the English. */
  rpLanguages?: Record<string, { scripts: Record<string, string>; written: Record<string, string> }>;
  Plotly?: typeof Plotly;
  rpDevices: Record<string, Device>;
  rpLiving: Living;
  rpMove: {
    draw(canvas: Element, data: Trace[], layout: Layout, config: Record<string, unknown>): Promise<unknown>;
    run(owner: object, ms: number, frame: (t: number) => void): void;
    busy(what: string, on: boolean): void;
  };
  rpPath: {
    data(it: PathData): void;
    /** Places of labels, for a test. */
    spread(wanted: number[], gap: number, low: number, high: number): number[];
    load(chapter: string): Promise<PathData>;
    busy(what: string, on: boolean): void;
  };
  rpStage(el: HTMLElement, it: PathData, live: Ask | null, on: (what: StageNews) => void): Stage;
  rpPen(host: HTMLElement, sketch: Sketch, tell: { changed(): void; done(): void }): Pen;
  rpPlay(place: HTMLElement): void;
  rpScore(place: HTMLElement): void;
  MathJax?: { startup?: { promise?: Promise<void> } };
  /** What a page of the book holds for paper (tools/pdf.js). */
  gathered?(names: string[]): Promise<Record<string, unknown>>;
  /** Puts a button before each answer of a question; `chosen` is told which one was pressed. */
  rpCheck(box: HTMLElement, chosen: (at: number) => void): CheckAnswer[];
  /** What to say at each step of a chapter, by its number: `_static/notes/<chapter>.js` hands it over. */
  rpNotes?(told: Record<string, string[]>): void;
  staticFrame: {
    (place: HTMLElement, url: string): Promise<void>;
    data?(stem: string, it: StillData): void;
  };
  recprivLab?: Lab;
}

// --------------------------------------------------------------------------------------------- dashboards (the kit)
/** What a script of the kit has of its `Part`: the values that both sides share, and a way to speak. */
interface Model {
  on(names: string | string[], act: (news?: any) => void): void;
  send_msg(message: Record<string, unknown>): void;
  document: { on_event(name: string, act: () => void): void };
}
interface Field extends Model {
  label: string;
  hint: string;
  released: number;
  active: boolean;
  waits: boolean;
}
interface SliderModel extends Field {
  value: number;
  low: number;
  high: number;
  whole: boolean;
  log: boolean;
  stops: number[];
  spoken: string[];
  ends: string[];
  axis: boolean;
  span: number[];
  inset: [number, number];
  ticks: [value: number, text: string][];
}
interface SeedModel extends Field {
  value: number;
  low: number;
  high: number;
}
interface ChoiceModel extends Field {
  value: string | number;
  options: [value: string | number, text: string][];
  many: boolean;
}
interface SwitchModel extends Field {
  value: boolean;
}
interface FilmsModel extends Field {
  value: number[];
  most: number;
  options: [film: number, title: string][];
}
interface FigureModel extends Model {
  figure: string;
  plot: string;
  html: string;
}
interface Deal {
  question: string;
  answers: string[];
  rounds: { shown: string; truth: number; best: number }[];
  ceiling: string;
}
interface GameModel extends Model {
  deal: Deal | null;
  setting: number;
  figure: string;
}
interface FrameModel extends Model {
  sentence: string;
  card: { what: string; cure: string; last: string; empty: boolean } | null;
  busy: { text: string; progress: number | null; remaining: number | null } | null;
  shown: number;
  replies: string[];
  curving: boolean;
  advice: string;
  notice: string;
  alts: Record<string, string>;
  strip: string;
  query: string;
  rows: Record<string, { head: string[]; rows: string[][] }>;
  theme: string;
  size: string;
  large: boolean;
  curve: boolean;
  calm: boolean;
  tables: boolean;
}

// ------------------------------------------------------------------------------------------------- the laboratory
type Lab = import("../../widgets/site/lab.mjs").Lab;
interface Columns {
  names: string[];
  roles: Record<string, string>;
}
interface Manifest {
  total: number;
  pyodide: { path: string; files: { name: string; sha256: string }[] };
  wheels: { name: string; file: string; sha256: string }[];
  kit: { file: string; sha256: string };
}
/** What the book tells a page of an exercise, what a check found, and what is kept of a reader's work. */
interface Asked {
  name: string;
  title: string;
  start: string;
  solution: string;
  hints: string[];
  checks: string[];
}
interface Found {
  check: string;
  passed: boolean;
  say: string;
  line: number | null;
  printed: string;
}
interface Work {
  text: string;
  hints: number;
  passed: boolean;
}
/** A dashboard of this page, as the laboratory calls it. */
interface Dash {
  opening(): Record<string, unknown>;
  opened(so: boolean): void;
  moved(data: string): void;
  heard(news: any): void;
}
/** The other end: what a dashboard calls. */
interface Line {
  send(message: Record<string, unknown>): void;
  leave(): void;
}
