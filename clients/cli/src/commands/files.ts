import { Argument } from '@commander-js/extra-typings';
import { deferInvalidValues, momentOption, withFormats, withLoad } from '../options.js';
import type { Program, Runner } from '../runner.js';

/** Commands that read files. */
export function addFileCommands(program: Program, { locally }: Runner): void {
  deferInvalidValues(withLoad(program.command('import [file...]')))
    .description('store CSV, fixed-width, NDJSON or Excel files, also with gzip; - is standard input')
    .option('--table <table>', 'table that stores the rows')
    .option('--retry-rejected <directory>', 'store the corrected rejected rows of a load with --results')
    .option('--replace', 'delete the rows that the file lacks')
    .option('--resume', 'continue an interrupted import of the same file')
    .action(
      locally(async (context, files, flags) =>
        (await import('../import/import-files.js')).importFiles(context, files, flags),
      ),
    );
  withLoad(program.command('diff <file> [table]'), 'compare', (name) => name === '--on-duplicate')
    .usage('[options] <file> <table>\n       atrium diff [options] <table> --from <moment>')
    .description('compare a file with a table, or with --from a table with its past; exit code 3 if they differ')
    .addOption(momentOption('--from <moment>', 'former moment of the table: a revision, or a time'))
    .addOption(momentOption('--to <moment>', 'later moment; now by default'))
    .action(
      locally(async (context, file, table, flags) =>
        (await import('../import/diff.js')).diff(context, file, table, flags),
      ),
    );
  deferInvalidValues(withLoad(program.command('sync [file] [table]')))
    .description('show the differences and make the table equal to the file')
    .option('--config <file>', 'all tables of this file, in order')
    .option('--wait', 'wait for the decision about changes that need approval')
    .action(
      locally(async (context, file, table, flags) =>
        (await import('../import/sync.js')).sync(context, file, table, flags),
      ),
    );
  const init = program
    .command('init')
    .addArgument(new Argument('<system>').choices(['sap']))
    .argument('<file...>');
  withFormats(init)
    .description('print a mapping for files of a system')
    .action(
      locally(async (context, _system, files, flags) =>
        (await import('../mapping/init-mapping.js')).initMapping(context, files, flags),
      ),
    );
}
