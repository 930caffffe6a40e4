// Preloaded into the services of tests: a warning of Node, such as a leak of listeners, ends the process like an
// uncaught exception. Notices of the versions of Node and of packages do not concern the code: a deprecation, and the
// versions that the SDK of S3 supports.
process.on('warning', (warning) => {
  const isNotice = warning.name === 'DeprecationWarning' || warning.message.startsWith('NodeVersionSupportWarning');
  if (!isNotice) throw warning;
});
