/**
 * Serves the suites of a whole run: it migrates the template of their databases, runs the operator CLI, and starts the
 * services that suites share. `global-setup.mjs` starts it and sends it the URL of PostgreSQL; it ends when the run
 * ends.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { CITUS_URL } from './citus.mjs';
import { migrateTemplate } from './database-template.mjs';
import { shareOperator, shareService, stopServices } from './service-pool.mjs';

/** The operator CLI is loaded after the template is migrated, while Jest loads the first suite. */
const loadOperator = () => import('./operator-calls.mjs');
const callOperator = (name) => async (body) => (await loadOperator())[name](body);

const requests = {
  open: callOperator('openOperator'),
  ask: callOperator('ask'),
  close: callOperator('closeOperator'),
  run: callOperator('runCommand'),
  share: (body) => shareService(body, dataDir),
  operator: shareOperator,
};

const [{ databaseUrl, dataDir }] = await once(process, 'message');
process.once('disconnect', async () => {
  await stopServices();
  process.exit();
});
const template = CITUS_URL ? undefined : await migrateTemplate(databaseUrl);

const server = createServer(async (request, response) => {
  try {
    const result = await requests[request.url.slice(1)](await json(request));
    response.end(JSON.stringify({ result }));
  } catch (error) {
    response.end(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }));
  }
});
// The clients close idle connections: one that this server closes may be one on which a request is sent.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  process.send({ url: `http://127.0.0.1:${server.address().port}`, template });
  void loadOperator();
});
