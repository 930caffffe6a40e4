// Preloaded into a service: signals cause an exception and a rejected promise that no code catches.
process.on('SIGUSR2', () => {
  setTimeout(() => {
    throw new Error('an uncaught exception of the test');
  });
});
process.on('SIGHUP', () => void Promise.reject(new Error('an unhandled rejection of the test')));
