import { spawn } from 'node:child_process';

/** Opens a page in the browser of the desktop, if there is one. Never fails: the address is also printed. */
export function openBrowser(address: string): void {
  const [command, ...args] = findCommand();
  const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
}

/** Without a shell, which would interpret the address. */
function findCommand(): [string, ...string[]] {
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}
