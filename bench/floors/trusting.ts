/**
 * A floor for authentication: the service itself, which asks only once. `authentication` believes that every caller is
 * the first one; `session` verifies each token, and believes that a session which was looked up once lives for ever.
 */
import { createApplication } from '../../src/application.js';
import { SessionsService } from '../../src/modules/sessions/sessions.service.js';
import { loadConfig } from '../../src/platform/config/config.module.js';
import { createLogger } from '../../src/platform/logging/logging.js';
import { Authenticator } from '../../src/platform/security/authenticator.js';

const [, , asksOnceFor] = process.argv;

/** Its first answer is its answer for ever. */
function once<Arguments extends unknown[], Answer>(
  ask: (...args: Arguments) => Answer,
): (...args: Arguments) => Answer {
  let answer: Answer | undefined;
  return (...args) => (answer ??= ask(...args));
}

const config = loadConfig();
const app = await createApplication(config, { databaseUrl: config.database.url!, logger: createLogger(config) });
if (asksOnceFor === 'authentication') {
  const authenticator = app.get(Authenticator);
  authenticator.authenticate = once(authenticator.authenticate.bind(authenticator));
} else {
  const sessions = app.get(SessionsService);
  sessions.getActive = once(sessions.getActive.bind(sessions));
}
await app.listen(0, '127.0.0.1');
process.on('disconnect', () => process.exit(0));
process.send!(app.getHttpServer().address());
