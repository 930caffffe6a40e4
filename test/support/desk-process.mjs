import { withServices } from '../../dist/src/operator/services.js';

/**
 * The operator's services in a process that stays: a command of its own takes over a second to start, and a race is run
 * a hundred times. Takes `{ id, service, method, args }` and answers `{ id, result }` or `{ id, error }`, until the
 * parent lets go.
 */
await withServices(async (services) => {
  process.on('message', ({ id, service, method, args }) => {
    services[service][method](...args).then(
      (result) => process.send({ id, result }),
      (error) => process.send({ id, error: String(error) }),
    );
  });
  process.send({ ready: true });
  await new Promise((done) => process.once('disconnect', done));
});
