/** Roll-outs as trees: waves, their clusters, how far each is, and what may be done now. */
import type { ReactNode } from 'react';
import type { RollOutDescription } from '#contracts/roll-outs.ts';
import { ask } from '../../api.ts';
import { type RollOutSummary, useRollOut, useRollOuts } from '../../inventory-queries.ts';
import { commands } from '../../model/commands.ts';
import { countOf } from '../../model/count-of.ts';
import { may } from '../../model/rights.ts';
import { verbSays, verbsFor, type Wave, wavesOf } from '../../model/roll-out-tree.ts';
import { span, timeAgo } from '../../model/times.ts';
import { AskFirst } from '../../parts/ask-first.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { InventoryFrame, type PlaceInInventory } from '../../parts/inventory-frame.tsx';
import { Answered, Empty, useNow } from '../../parts/states.tsx';
import { Sign, type Tone } from '../../parts/status.tsx';
import { useWhoAmI } from '../../queries.ts';
import { hrefOf } from '../../routes.ts';

export function RollOutsView({ place }: { readonly place: PlaceInInventory }) {
  const { namespace, chosen } = place;
  const list = useRollOuts(namespace);
  const id = chosen.id ?? list.data?.[0]?.id;
  const shown = useRollOut(namespace, id);
  return (
    <InventoryFrame place={place} view="rollouts" of={id === undefined ? [list] : [list, shown]}>
      <Answered of={list} what="roll-outs">
        {(all) => (
          <RollOuts namespace={namespace} all={all} id={id}>
            <Answered of={shown} what="the roll-out">
              {(one) => <Tree rollOut={one} />}
            </Answered>
          </RollOuts>
        )}
      </Answered>
    </InventoryFrame>
  );
}

interface RollOutsProps {
  readonly namespace: string;
  readonly all: readonly RollOutSummary[];
  /** The one that is shown; undefined if there is no roll-out. */
  readonly id: string | undefined;
  readonly children: ReactNode;
}

function RollOuts({ namespace, all, id, children }: RollOutsProps) {
  if (id === undefined)
    return (
      <Empty title="No roll-out yet">
        <p>
          <a className="button" href={hrefOf(['inventory', namespace, 'plan'])}>
            Plan a change
          </a>{' '}
          first: a roll-out brings exactly that to the clusters, wave by wave.
        </p>
      </Empty>
    );
  return (
    <div className="documents">
      <nav aria-label="Roll-outs, newest first">
        <CopyCommand command={commands.rollOuts(namespace)} />
        <ul className="tree">
          {all.map((one) => (
            <ListLine key={one.id} one={one} current={one.id === id} />
          ))}
        </ul>
      </nav>
      <div>{children}</div>
    </div>
  );
}

const statuses: Readonly<Record<RollOutDescription['status'], readonly [tone: Tone, word: string]>> = {
  Running: ['work', 'In progress'],
  Paused: ['calm', 'Paused'],
  Halted: ['bad', 'Halted'],
  RolledOut: ['good', 'Rolled out'],
  Undone: ['calm', 'Undone'],
  Cancelled: ['calm', 'Cancelled'],
  Interrupted: ['warn', 'Interrupted'],
};

function StatusOf({ of }: { readonly of: Pick<RollOutDescription, 'status' | 'pausing' | 'direction'> }) {
  if (of.pausing && of.status === 'Running') return <Sign tone="work" word="Pauses" />;
  if (of.status === 'Running' && of.direction === 'back') return <Sign tone="warn" word="Is being undone" />;
  const [tone, word] = statuses[of.status];
  return <Sign tone={tone} word={word} />;
}

function ListLine({ one, current }: { readonly one: RollOutSummary; readonly current: boolean }) {
  const now = useNow();
  const { done = 0, undone = 0 } = one.states;
  const all = one.waves.reduce((sum, { clusters }) => sum + clusters, 0);
  return (
    <li>
      <a
        href={hrefOf(['inventory', one.namespace, 'rollouts'], { id: one.id })}
        aria-current={current ? 'true' : undefined}
        data-row
      >
        {one.id}
      </a>
      <br />
      <StatusOf of={one} />{' '}
      <span className="dim">
        {done + undone} of {all} · {timeAgo(one.startedAt, now)} by {one.startedBy}
      </span>
    </li>
  );
}

function Tree({ rollOut }: { readonly rollOut: RollOutDescription }) {
  const me = useWhoAmI();
  const now = useNow();
  const { namespace, id, settings, halted, soakUntil, startedAt, startedBy, endedAt, clusters } = rollOut;
  const waves = wavesOf(rollOut);
  const done = waves.reduce((sum, wave) => sum + wave.done, 0);
  return (
    <section aria-labelledby="roll-out-title">
      <h2 id="roll-out-title" className="cluster-title">
        {id} <StatusOf of={rollOut} />
      </h2>
      <p className="dim">
        started by {startedBy}, {timeAgo(startedAt, now)}
        {endedAt !== null && `, ended ${timeAgo(endedAt, now)}`} · waves {settings.waves.join(', ')} · each watched for{' '}
        {settings.soak} · halts after {countOf(settings.maxFailed, 'failure')}
      </p>
      <p>
        <progress value={done} max={Math.max(1, clusters.length)} aria-label="Clusters that are done" /> {done} of{' '}
        {countOf(clusters.length, 'cluster')}
        {soakUntil !== null && ` · the next wave starts in ${span(Date.parse(soakUntil) - now)}, if all is well`}
      </p>
      {halted !== null && (
        <p className="notice bad" role="alert">
          <span aria-hidden="true">✗</span> {halted}
        </p>
      )}
      {rollOut.status === 'Interrupted' && (
        <p className="notice warn">
          <span aria-hidden="true">!</span> Its execution ended early. It continues where it stopped, automatically; if
          it does not, resume it.
        </p>
      )}
      <div className="verbs">
        {may(me.data, 'operator', namespace) &&
          verbsFor(rollOut).map((verb) => (
            <AskFirst
              key={verb}
              title={`${verb.slice(0, 1).toUpperCase()}${verb.slice(1)}`}
              about={id}
              says={verbSays[verb]}
              main={verb === 'resume'}
              word={verb === 'undo' ? namespace : undefined}
              command={commands.rollOutVerb(verb, namespace, id)}
              send={() =>
                ask('POST /v1/inventory/{namespace}/rollouts/{id}/{verb}', { params: { namespace, id, verb } })
              }
            />
          ))}
        <CopyCommand command={commands.rollOut(namespace, id)} />
      </div>
      <ol className="tree waves">
        {waves.map((wave) => (
          <WaveLine key={wave.number} namespace={namespace} wave={wave} />
        ))}
      </ol>
    </section>
  );
}

const waveSigns: Readonly<Record<Wave['state'], readonly [tone: Tone, word: string]>> = {
  done: ['good', 'done'],
  running: ['work', 'in progress'],
  soaking: ['work', 'is watched'],
  failed: ['bad', 'has failures'],
  waiting: ['calm', 'waits'],
};

const clusterSigns: Readonly<
  Record<RollOutDescription['clusters'][number]['state'], readonly [tone: Tone, word: string]>
> = {
  waiting: ['calm', 'waits'],
  running: ['work', 'in progress'],
  done: ['good', 'done'],
  failed: ['bad', 'failed'],
  undone: ['calm', 'undone'],
  kept: ['calm', 'kept as it is'],
};

function WaveLine({ namespace, wave }: { readonly namespace: string; readonly wave: Wave }) {
  const { number, state, clusters, done, failed } = wave;
  return (
    <li>
      <details open={state !== 'waiting' || clusters.length <= 20}>
        <summary>
          <strong>Wave {number}</strong> <Sign tone={waveSigns[state][0]} word={waveSigns[state][1]} /> {done} of{' '}
          {clusters.length}
          {failed > 0 && `, ${failed} failed`}
        </summary>
        <ul className="tree">
          {clusters.map((cluster) => (
            <li key={cluster.name}>
              <a href={hrefOf(['manifests', namespace, cluster.name])} data-row>
                {cluster.name}
              </a>{' '}
              <Sign tone={clusterSigns[cluster.state][0]} word={clusterSigns[cluster.state][1]} />{' '}
              <span className="dim">
                {cluster.before === null ? 'is created' : `from generation ${cluster.before}`}
              </span>
              {cluster.message !== undefined && <span className="remark">{cluster.message}</span>}
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}
