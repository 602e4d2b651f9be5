// Playwright tells every new context its media features; a Firefox that does not know that command refuses the context.
// Here it asks for the status instead; tests/browser/firefox.py sets light and dark as preferences.
const { _extensions } = require("module");
const fs = require("fs");
const usual = _extensions[".js"];
_extensions[".js"] = (module, name) => {
  if (!name.endsWith("coreBundle.js")) return usual(module, name);
  const source = fs.readFileSync(name, "utf8");
  return module._compile(source.replaceAll('"emulation.setMediaFeaturesOverride"', '"session.status"'), name);
};
