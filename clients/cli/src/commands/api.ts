import { collect } from '../options.js';
import type { Program, Runner } from '../runner.js';

export function addApiCommand(program: Program, { locally }: Runner): void {
  program
    .command('api')
    .usage('[options] [method] <path>')
    .description('send any request; {workspaceId} in the path is replaced')
    .argument('<method>', 'GET, POST, PUT, PATCH or DELETE; without it POST if there are fields, otherwise GET')
    .argument('[path]')
    .option('-X, --method <method>', 'instead of the first argument')
    .option('-f, --raw-field <name=value>', 'text of the query or the JSON body; repeatable', collect)
    .option('-F, --field <name=value>', 'JSON value, or the text of @FILE, of the query or body; repeatable', collect)
    .option('-H, --header <name:value>', 'repeatable', collect)
    .option('--input <file>', 'body of the request; - is standard input')
    .option('-i, --include', 'print the status and the headers, too')
    .option('--jq <filter>', 'print what a filter of jq selects')
    .option('--paginate', 'print all entries of a list as lines of JSON')
    .action(
      locally(async (context, first, second, flags) =>
        (await import('../api/send-request.js')).sendRequest(context, first, second, flags),
      ),
    );
}
