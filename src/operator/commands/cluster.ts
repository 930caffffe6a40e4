import type { ClusterNode, WorkspaceLocation } from '../../platform/database/cluster.js';
import * as argument from '../arguments.js';
import { getWorkspaceId, loadNames } from '../names.js';
import type { OperatorCommand } from '../operator-command.js';
import { formatList, type List, type Output } from '../output.js';
import type { Services } from '../operator-application.js';

const MEGABYTE = 2 ** 20;

const NODES: List<ClusterNode> = {
  fields: ['name', 'isCoordinator', 'isReachable', 'workspaces', 'bytes'],
  columns: {
    Node: ({ name }) => name,
    Role: ({ isCoordinator }) => (isCoordinator ? 'coordinator' : 'worker'),
    Reachable: ({ isReachable }) => (isReachable ? 'yes' : 'no'),
    Workspaces: ({ workspaces }) => workspaces,
    MB: ({ bytes }) => toMegabytes(bytes),
  },
};

const WORKSPACES: List<WorkspaceLocation & { slug: string | null }> = {
  fields: ['id', 'slug', 'node', 'tables', 'bytes'],
  columns: {
    Workspace: ({ slug }) => slug,
    Node: ({ node }) => node,
    Tables: ({ tables }) => tables,
    MB: ({ bytes }) => toMegabytes(bytes),
  },
};

export function addClusterCommands(program: OperatorCommand): void {
  const cluster = program
    .command('cluster')
    .description('the nodes of a cluster (Citus), and where workspaces are')
    .examples('cluster status');

  cluster
    .command('distribute')
    .description('distribute the tables over the nodes; tables that are distributed remain as they are')
    .examples('cluster distribute')
    .run(async (services) => {
      await requireCitus(services);
      const { tables, workspaces } = await services.cluster.distribute();
      const text = `${tables.length} tables and the tables of ${workspaces} workspaces distributed.`;
      return { json: { tables, workspaces }, text: `${text} Restart the service if it is running.` };
    });

  cluster
    .command('status')
    .description('list the nodes, and where the tables of each workspace are')
    .examples('cluster status', 'cluster status --json')
    .run(async (services): Promise<Output> => {
      await requireCitus(services);
      const [isDistributed, nodes] = [await services.cluster.isDistributed(), await services.cluster.listNodes()];
      const [workspaces, names] = [await services.cluster.listWorkspaces(), await loadNames(services)];
      const nodeTable = formatList(nodes, NODES, 'The cluster has no nodes.');
      const named = workspaces.map((location) => ({ ...location, slug: names.workspace(location.id) }));
      const workspaceTable = formatList(named, WORKSPACES, 'No workspace has a table.');
      const note = isDistributed ? '' : '\n\nNot distributed yet: npm run -s operator -- cluster distribute';
      return {
        json: { isDistributed, nodes: nodeTable.json, workspaces: workspaceTable.json },
        text: `${nodeTable.text}\n\n${workspaceTable.text}${note}`,
      };
    });

  cluster
    .command('move')
    .description('move the tables of a workspace to a node; the service can write them meanwhile')
    .argument('<workspace>', 'slug or ID', argument.workspace)
    .argument('<node>', 'host:port, as the status shows it', argument.node)
    .examples('cluster move vienna-works worker-2:5432')
    .run(async (services, workspace: string, { host, port }: { host: string; port: number }) => {
      await requireCitus(services);
      const id = await getWorkspaceId(services, workspace);
      const node = `${host}:${port}`;
      if (!(await services.cluster.isWorker(host, port)))
        throw new Error(`"${node}" is not a worker of the cluster. "cluster status" lists the nodes.`);
      if (!(await services.cluster.move(id, host, port)))
        throw new Error(`The workspace "${workspace}" has no tables, so nothing was moved.`);
      return { json: { workspace: id, node }, text: `The tables of ${workspace} are on ${node}.` };
    });

  cluster
    .command('rebalance')
    .description('move tables until all nodes have about as much data')
    .examples('cluster rebalance')
    .run(async (services) => {
      await requireCitus(services);
      await services.cluster.rebalance();
      const nodes = await services.cluster.listNodes();
      return formatList(nodes, NODES, 'The cluster has no nodes.');
    });
}

function toMegabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1);
}

async function requireCitus({ cluster }: Services): Promise<void> {
  if (await cluster.hasCitus()) return;
  throw new Error('The database does not have the extension Citus. Run CREATE EXTENSION citus on each node.');
}
