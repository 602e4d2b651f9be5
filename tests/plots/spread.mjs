// The places that the page's own layout gives to the labels of each case: node spread.mjs <stage.js> <cases.json>
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";

const [script, cases] = process.argv.slice(2);
const window = { rpMove: {} };
const canvas = { getContext: () => ({}) };
const document = { currentScript: { src: "http://here/" }, documentElement: {}, createElement: () => canvas };
runInNewContext(readFileSync(script, "utf8"), { window, document });
const { spread } = window.rpPath;
const given = JSON.parse(readFileSync(cases, "utf8"));
console.log(JSON.stringify(given.map(({ wanted, gap, low, high }) => spread(wanted, gap, low, high))));
