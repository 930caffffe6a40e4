/** The floor for the event log: the service itself; `without` records no events. Both run in equal processes. */
import { createApplication } from '../../src/application.js';
import { EventsService } from '../../src/modules/events/events.service.js';
import { loadConfig } from '../../src/platform/config/load-config.js';
import { Jobs } from '../../src/platform/jobs/jobs.js';
import { createLogger } from '../../src/platform/logging/logging.js';

const [, , mode] = process.argv;

const config = await loadConfig();
const app = await createApplication(config, { databaseUrl: config.database.url!, logger: await createLogger(config) });
if (mode === 'without') app.get(EventsService).recordAll = () => Promise.resolve();
app.get(Jobs).start();
await app.listen(0, '127.0.0.1');
process.on('disconnect', () => process.exit(0));
process.send!(app.getHttpServer().address());
