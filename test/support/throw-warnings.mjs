// Preloaded into the services of tests: a warning of Node, such as a leak of listeners, ends the process like an uncaught exception.
process.on('warning', (warning) => {
  throw warning;
});
