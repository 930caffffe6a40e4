const { join, relative } = require('node:path');

const ROOT = join(__dirname, '../..');

/** Jest executes those of the selected suites that this returns. It can load a filter only as CommonJS. */
module.exports = async (files) => {
  const { selectSuites } = await import('./suites.mjs');
  const selected = selectSuites(files.map((file) => relative(ROOT, file)));
  return { filtered: selected.map((path) => join(ROOT, path)) };
};
