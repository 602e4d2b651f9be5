// What eslint holds the scripts to: its recommended rules, no name that is unknown and none that is unused.
import js from "@eslint/js";
import globals from "globals";

const page = { ...globals.browser, Plotly: "readonly" }; // a page brings plotly.js before any of our scripts draws

export default [
  { ignores: ["_build/", ".venv*/", "artifacts/", "dist/", "sweeps/"] },
  js.configs.recommended,
  { rules: { eqeqeq: "error", "no-var": "error", "prefer-const": ["error", { destructuring: "all" }] } },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["book/_static/**/*.js", "tests/browser/cut.js", "tools/pdf.js"],
    languageOptions: { sourceType: "script", globals: page },
  },
  {
    files: ["widgets/kit/*.js", "widgets/site/*.mjs", "widgets/classroom/files/*.mjs"],
    languageOptions: { sourceType: "module", globals: page },
  },
  { files: ["widgets/site/worker.mjs"], languageOptions: { globals: globals.worker } },
  { files: ["widgets/site/sw.js"], languageOptions: { sourceType: "script", globals: globals.serviceworker } },
  { files: ["*.mjs", "tests/**/*.mjs"], languageOptions: { sourceType: "module", globals: globals.node } },
  { files: ["**/*.cjs"], languageOptions: { sourceType: "commonjs", globals: globals.node } },
];
