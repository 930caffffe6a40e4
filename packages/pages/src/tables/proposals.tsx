import type { AtriumClient, Proposal, ProposedChange } from '@atrium/client';
import { useState } from 'preact/hooks';
import { useMayDecide } from './access.js';
import { ErrorMessage, formatCount, ScrollRegion, Status, Time } from './messages.js';
import { useLoad } from './use-load.js';

/** Proposals and changes that are shown. */
const MAX_PROPOSALS = 50;
const MAX_CHANGES = 500;

const SOURCES: Record<Proposal['source'], string> = {
  assistant: 'An assistant',
  bulk: 'A program',
  delete: 'A deletion',
  import: 'An import',
  restore: 'A restoration',
  undo: 'An undo',
  webhook: 'The webhook',
};

type Decision = 'approve' | 'reject';

async function readFirst<Entry>(entries: AsyncIterable<Entry>, limit: number): Promise<Entry[]> {
  const first: Entry[] = [];
  for await (const entry of entries) {
    first.push(entry);
    if (first.length === limit) break;
  }
  return first;
}

/** The changes that wait for approval. @param opened the ID of the proposal whose changes are shown at first. */
export function Proposals({ client, opened }: { client: AtriumClient; opened: string | undefined }) {
  const [decided, setDecided] = useState('');
  const { data = [], error } = useLoad(
    (signal) => readFirst(client.proposals.list({ status: 'pending', signal }), MAX_PROPOSALS),
    [client, decided],
  );
  if (data.length === 0 && decided === '' && opened === undefined && error === undefined) return null;
  return (
    <section aria-labelledby="proposals">
      <h2 id="proposals">Waiting for approval</h2>
      <Status>{`${decided} ${formatCount(data.length, 'proposal')}.`}</Status>
      <ErrorMessage error={error} />
      {data.map((proposal) => (
        <PendingProposal
          key={`${proposal.id} ${proposal.id === opened}`}
          client={client}
          proposal={proposal}
          isOpened={proposal.id === opened}
          onDecided={setDecided}
        />
      ))}
    </section>
  );
}

interface Properties {
  client: AtriumClient;
  proposal: Proposal;
  isOpened: boolean;
  onDecided: (message: string) => void;
}

function PendingProposal({ client, proposal, isOpened, onDecided }: Properties) {
  const { id, source, tables, createdAt, expiresAt } = proposal;
  const mayDecide = useMayDecide();
  const [isOpen, setOpen] = useState(isOpened);
  const [failure, setFailure] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const { data: changes = [], error } = useLoad(
    isOpen ? (signal) => readFirst(client.proposals.differences(id, { signal }), MAX_CHANGES) : undefined,
    [client, isOpen],
  );
  const total = tables.reduce((sum, { counts }) => sum + counts.created + counts.updated + counts.deleted, 0);
  const decide = async (decision: Decision) => {
    setRunning(true);
    try {
      await client.proposals[decision](id);
      // The time differs for each decision, so that the list is read again.
      const time = new Date().toLocaleTimeString('en-GB');
      onDecided(decision === 'approve' ? `Approved and stored at ${time}.` : `Rejected at ${time}.`);
    } catch (caught) {
      setFailure(caught);
      setRunning(false);
    }
  };
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>
        <span class={`badge ${source}`}>{SOURCES[source]}</span> changes {formatCount(total, 'row')} of{' '}
        {tables.map(({ name }) => name).join(', ')}, <Time value={createdAt} />
      </summary>
      <p>
        Nothing is stored yet. The proposal ends <Time value={expiresAt} />.
        {total > changes.length && changes.length > 0 && ` The first ${changes.length} rows are shown.`}
      </p>
      <ErrorMessage error={failure ?? error} />
      {changes.length > 0 && <Changes changes={changes} />}
      {mayDecide && (
        <div class="controls">
          <button type="button" class="primary" disabled={isRunning} onClick={() => void decide('approve')}>
            Approve
          </button>
          <button type="button" disabled={isRunning} onClick={() => void decide('reject')}>
            Reject
          </button>
        </div>
      )}
    </details>
  );
}

function Changes({ changes }: { changes: readonly ProposedChange[] }) {
  return (
    <ScrollRegion label="Proposed changes">
      <table>
        <thead>
          <tr>
            <th scope="col">Change</th>
            <th scope="col">Table</th>
            <th scope="col">Key</th>
            <th scope="col">Values</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ change, table, key, columns }) => (
            <tr key={`${table} ${key}`} class={change}>
              <th scope="row">
                <span class={`badge ${change}`}>{change}</span>
              </th>
              <td>{table}</td>
              <td>{key}</td>
              <td>
                {Object.entries(columns).map(([column, { from, to }]) => (
                  <div key={column}>
                    {column}: {from !== null && <del>{String(from)}</del>} {to !== null && <ins>{String(to)}</ins>}
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
