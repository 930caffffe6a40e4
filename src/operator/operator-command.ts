import { Command } from 'commander';
import { formatLinesForTerminal } from '../../packages/tabular/src/terminal-text.js';
import type { Services } from './operator-application.js';
import { formatList, type List, type Output } from './output.js';

/** A command of the operator CLI. */
export class OperatorCommand extends Command {
  override createCommand(name?: string): OperatorCommand {
    return new OperatorCommand(name);
  }

  /** Adds examples to the help. @param examples the arguments of the operator CLI. */
  examples(...examples: string[]): this {
    const lines = examples.map((example) => `  npm run -s operator -- ${example}`);
    return this.addHelpText('after', `\n${examples.length > 1 ? 'Examples' : 'Example'}:\n${lines.join('\n')}`);
  }

  /**
   * Sets the action, which runs with the services and prints its output immediately: a secret that is shown once must
   * not be lost if the shutdown fails.
   */
  run<Args extends unknown[]>(work: (services: Services, ...args: Args) => Promise<Output>): this {
    return this.action(async (...args) => {
      const { json } = this.optsWithGlobals<{ json?: boolean }>();
      // Loaded here, so that help and usage errors do not wait for the modules.
      const { withServices } = await import('./services.js');
      await withServices(async (services) => {
        const output = await work(services, ...(args.slice(0, -1) as Args));
        const text = json ? JSON.stringify(output.json, null, 2) : formatLinesForTerminal(output.text);
        process.stdout.write(`${text}\n`);
      });
    });
  }

  /** Adds the command `list`, which prints all records of a kind. @param kind the plural, such as `API keys`. */
  addList<Row extends object>(
    kind: string,
    load: (services: Services) => Promise<readonly Row[]>,
    list: List<Row>,
  ): void {
    this.command('list')
      .description(`list all ${kind}`)
      .examples(`${this.name()} list`, `${this.name()} list --json`)
      .run(async (services) => formatList(await load(services), list, `There are no ${kind}.`));
  }
}
