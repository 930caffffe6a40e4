import type { CommandLine, CommandOutcome } from './command-line.js';
import { visitPages } from './issuer.js';
import { until } from './until.js';

/** The address that a login prints, at the end of a line. */
const ADDRESS = /https?:\/\/\S+(?=\n)/;

/** Executes `atrium login`. @param visit what the person does with the address that it prints, if it prints one */
export async function runLogin(
  atrium: CommandLine,
  flags: readonly string[],
  visit: (page: URL) => Promise<unknown>,
): Promise<CommandOutcome> {
  let written = { text: '' };
  let hasEnded = false;
  const args = ['login', '--url', atrium.service.baseUrl, ...flags];
  const ended = atrium.run(args, undefined, (stderr) => (written = stderr)).finally(() => (hasEnded = true));
  const findAddress = () => ADDRESS.exec(written.text)?.[0];
  await until(
    () => findAddress() !== undefined || hasEnded,
    (isReady) => isReady,
  );
  const address = findAddress();
  if (address !== undefined) await visit(new URL(address));
  return ended;
}

/** Signs in on the pages of the issuer, which lead back to the command line. @returns what it shows in the browser */
export async function completeLogin(page: URL, login: string): Promise<string> {
  const answer = await fetch(await visitPages(page, login));
  return answer.text();
}
