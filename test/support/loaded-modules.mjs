/** Preloaded into a service: on SIGUSR2 it prints one JSON line with the URLs of all scripts that are loaded. */
import { Session } from 'node:inspector';

process.on('SIGUSR2', () => {
  const loaded = [];
  const session = new Session();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params }) => loaded.push(params.url));
  // Reports every script that was parsed before.
  session.post('Debugger.enable');
  session.disconnect();
  process.stdout.write(`${JSON.stringify({ loaded })}\n`);
});
