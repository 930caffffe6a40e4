import { type AtriumClient, AtriumError, type Proposal, type ProposedChange } from '@atrium/client';
import { useState } from 'preact/hooks';
import { useMayDecide } from './access.js';
import { ErrorMessage, formatCount, ScrollRegion, Status, Time } from './messages.js';
import { useLoad } from './use-load.js';
import { UserName } from './user-name.js';

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

/** What the caller can do with a proposal, and what is then reported. */
const ACTIONS = { approve: 'Approved and stored', reject: 'Rejected', compare: 'Compared again' } as const;

const OUTCOMES: Record<Exclude<Proposal['status'], 'pending'>, string> = {
  approved: 'It was approved and stored',
  rejected: 'It was rejected, and nothing of it was stored,',
  expired: 'It has expired, and nothing of it was stored,',
};

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
  const [done, setDone] = useState('');
  const { data: pending, error } = useLoad(
    (signal) => readFirst(client.proposals.list({ status: 'pending', signal }), MAX_PROPOSALS),
    [client, done],
  );
  // The proposal of a link may be decided, or older than those of the list.
  const isLinked = opened !== undefined && pending?.every(({ id }) => id !== opened) === true;
  const { data: linked, error: linkError } = useLoad(
    isLinked ? (signal) => client.proposals.get(opened, { signal }) : undefined,
    [client, done, opened, isLinked],
  );
  // `linked` remains until the next load.
  const shown = [...(linked && isLinked && linked.id === opened ? [linked] : []), ...(pending ?? [])];
  if (shown.length === 0 && done === '' && opened === undefined && error === undefined) return null;
  return (
    <section aria-labelledby="proposals">
      <h2 id="proposals">Waiting for approval</h2>
      <Status>{`${done} ${formatCount(pending?.length ?? 0, 'proposal')}.`}</Status>
      <ErrorMessage error={error ?? linkError} />
      {shown.map((proposal) => (
        <ProposalDetails
          key={`${proposal.id} ${proposal.id === opened}`}
          client={client}
          proposal={proposal}
          isOpened={proposal.id === opened}
          onDone={setDone}
        />
      ))}
    </section>
  );
}

interface Properties {
  client: AtriumClient;
  proposal: Proposal;
  isOpened: boolean;
  onDone: (message: string) => void;
}

function ProposalDetails({ client, proposal, isOpened, onDone }: Properties) {
  const { id, status, source, tables, createdAt, createdBy, comparedAt } = proposal;
  const mayDecide = useMayDecide() && status === 'pending';
  const [isOpen, setOpen] = useState(isOpened);
  const [failure, setFailure] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const { data: changes = [], error } = useLoad(
    isOpen ? (signal) => readFirst(client.proposals.differences(id, { signal }), MAX_CHANGES) : undefined,
    [client, isOpen, comparedAt],
  );
  const total = tables.reduce((sum, { counts }) => sum + counts.created + counts.updated + counts.deleted, 0);
  const isOutdated = failure instanceof AtriumError && failure.code === 'proposal_outdated';
  const run = async (action: keyof typeof ACTIONS) => {
    setRunning(true);
    try {
      await client.proposals[action](id);
      setFailure(undefined);
      // The time differs for each action, so that the list is read again.
      onDone(`${ACTIONS[action]} at ${new Date().toLocaleTimeString('en-GB')}.`);
    } catch (caught) {
      setFailure(caught);
    }
    setRunning(false);
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
        {tables.map(({ name }) => name).join(', ')}, <Time value={createdAt} />{' '}
        <UserName client={client} id={createdBy} />
      </summary>
      <p>
        <ProposalState client={client} proposal={proposal} />
        {total > changes.length && changes.length > 0 && ` The first ${changes.length} rows are shown.`}
      </p>
      <ErrorMessage error={failure ?? error} />
      {changes.length > 0 && <Changes changes={changes} />}
      {mayDecide && (
        <div class="controls">
          <button type="button" class="primary" disabled={isRunning} onClick={() => void run('approve')}>
            Approve
          </button>
          <button type="button" disabled={isRunning} onClick={() => void run('reject')}>
            Reject
          </button>
          {isOutdated && (
            <button type="button" disabled={isRunning} onClick={() => void run('compare')}>
              Compare again
            </button>
          )}
        </div>
      )}
    </details>
  );
}

/** Whether the changes are stored. */
function ProposalState({ client, proposal }: Pick<Properties, 'client' | 'proposal'>) {
  const { status, expiresAt, decidedAt, decidedBy, comment } = proposal;
  if (status === 'pending')
    return (
      <>
        Nothing is stored yet. The proposal ends <Time value={expiresAt} />.
      </>
    );
  return (
    <>
      {OUTCOMES[status]} <Time value={decidedAt ?? expiresAt} />
      {decidedBy !== null && (
        <>
          {' '}
          <UserName client={client} id={decidedBy} />
        </>
      )}
      {comment !== null && `: ${comment}`}
    </>
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
