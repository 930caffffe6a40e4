/**
 * The floor for authentication: the service itself, which authenticates only once. `authentication` treats every caller as
 * the first one; `session` verifies each token, but looks each session up only once.
 */
import { createApplication } from '../../src/application.js';
import { SessionsService } from '../../src/modules/sessions/sessions.service.js';
import { loadConfig } from '../../src/platform/config/load-config.js';
import { createLogger } from '../../src/platform/logging/logging.js';
import { Authenticator } from '../../src/platform/security/authenticator.js';

const [, , mode] = process.argv;

/** Returns the first result of the function forever. */
function once<Arguments extends unknown[], Result>(
  work: (...args: Arguments) => Result,
): (...args: Arguments) => Result {
  let result: Result | undefined;
  return (...args) => (result ??= work(...args));
}

const config = loadConfig();
const app = await createApplication(config, { databaseUrl: config.database.url!, logger: await createLogger(config) });
if (mode === 'authentication') {
  const authenticator = app.get(Authenticator);
  authenticator.authenticate = once(authenticator.authenticate.bind(authenticator));
} else {
  const sessions = app.get(SessionsService);
  sessions.getActive = once(sessions.getActive.bind(sessions));
}
await app.listen(0, '127.0.0.1');
process.on('disconnect', () => process.exit(0));
process.send!(app.getHttpServer().address());
