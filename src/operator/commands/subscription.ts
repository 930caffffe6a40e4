import * as argument from '../arguments.js';
import { getWorkspaceId } from '../names.js';
import type { OperatorCommand } from '../operator-command.js';
import { formatList, formatRecord } from '../output.js';

const ID = ['<id>', 'ID from `subscription list`', argument.uuid] as const;

/** An operator reads events of all types. */
const OPERATOR = { scopes: ['api'] } as const;

export function addSubscriptionCommands(program: OperatorCommand): void {
  const subscription = program
    .command('subscription')
    .description('receivers of events')
    .examples('subscription list --workspace vienna-works');

  subscription
    .command('list')
    .description('list subscriptions to events with the length of their queues')
    .option('--workspace <workspace>', 'only of this workspace: slug or ID', argument.workspace)
    .examples('subscription list --workspace vienna-works')
    .run(async (services, { workspace }: { workspace?: string }) => {
      const workspaceId = workspace === undefined ? undefined : await getWorkspaceId(services, workspace);
      return formatList(
        await services.subscriptions.listAll(workspaceId),
        {
          fields: ['id', 'workspaceId', 'url', 'events', 'status', 'disabledReason', 'failingSince', 'pending'],
          columns: {
            Subscription: ({ id }) => id,
            URL: ({ url }) => url,
            Status: ({ status, disabledReason }) => disabledReason ?? status,
            'Failing since': ({ failingSince }) => failingSince,
            Pending: ({ pending }) => pending,
          },
        },
        'There are no subscriptions.',
      );
    });

  subscription
    .command('disable')
    .description('disable a subscription and end its deliveries')
    .argument(...ID)
    .examples('subscription disable 019aab31-3a3f-7c11-8a11-0d2c35a5f0aa')
    .run(async ({ subscriptions }, id: string) => {
      await subscriptions.disable(await subscriptions.getKey(id));
      const note = 'A caller of the workspace can enable it again.';
      return formatRecord({ id, status: 'disabled' }, { id: 'Subscription', status: 'Status' }, note);
    });

  subscription
    .command('replay')
    .description('send the events from a number on again')
    .argument(...ID)
    .requiredOption('--from <sequence>', 'first event', argument.count)
    .examples('subscription replay 019aab31-3a3f-7c11-8a11-0d2c35a5f0aa --from 1')
    .run(async ({ subscriptions }, id: string, { from }: { from: number }) => {
      const { through } = await subscriptions.replay(OPERATOR, await subscriptions.getKey(id), from);
      const note = 'A running service sends the events within seconds.';
      return formatRecord({ id, from, through }, { id: 'Subscription', from: 'From', through: 'Through' }, note);
    });
}
