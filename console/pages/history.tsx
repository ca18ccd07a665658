/** Generations: who changed what, when and why, and how two documents differ. */
import { useQuery } from '@tanstack/react-query';
import { type AnswerTo, ask } from '../api.ts';
import { commands, type Name } from '../model/commands.ts';
import { may } from '../model/rights.ts';
import type { TabProps } from '../model/tab.ts';
import { clock, timeAgo } from '../model/times.ts';
import { yamlText } from '../model/yaml-text.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { DiffView } from '../parts/diff-view.tsx';
import { Answered, Loading, Trouble, useNow } from '../parts/states.tsx';
import { useGenerations, useWhoAmI } from '../queries.ts';
import { go, hrefOf } from '../routes.ts';
import '../styles/history.css';

type Generation = AnswerTo<'GET /v1/manifests/{namespace}/{name}/generations'>['items'][number];

export default function HistoryTab({ of, manifest, chosen }: TabProps) {
  const me = useWhoAmI();
  const list = useGenerations(of, manifest.generation);
  if (!list.data)
    return list.error ? <Trouble error={list.error} what="the history" /> : <Loading what="the history" />;
  const { items } = list.data;
  const compared = comparedOf(items, chosen);
  const whole = items.find(({ generation }) => String(generation) === chosen.document)?.generation;
  return (
    <div className="history">
      <section aria-labelledby="generations-title">
        <div className="diff-title">
          <h2 id="generations-title">Generations</h2>
          <CopyCommand command={commands.history(of)} />
        </div>
        <ol className="plain generations" aria-label="Generations, newest first">
          {items.map((item, place) => (
            <GenerationLine
              key={item.generation}
              of={of}
              item={item}
              before={items[place + 1]?.generation}
              current={item.generation === (whole ?? compared?.to)}
              mayRollBack={may(me.data, 'operator', of.namespace) && !manifest.deleting}
            />
          ))}
        </ol>
      </section>
      {whole !== undefined ? (
        <WholeDocument of={of} generation={whole} />
      ) : compared ? (
        <Comparison of={of} items={items} {...compared} />
      ) : (
        <p className="dim">There is one generation: nothing to compare yet.</p>
      )}
    </div>
  );
}

/** What the address names; else the last change. */
function comparedOf(items: readonly Generation[], chosen: TabProps['chosen']) {
  const kept = items.map(({ generation }) => generation);
  const named = (text: string | undefined): number | undefined => kept.find((one) => String(one) === text);
  const to = named(chosen.to) ?? kept[0];
  if (to === undefined || kept.length < 2) return undefined;
  const from = named(chosen.from) ?? kept.find((one) => one < to) ?? kept.at(-1);
  return from === undefined ? undefined : { from, to };
}

interface GenerationLineProps {
  readonly of: Name;
  readonly item: Generation;
  /** The one before it that is kept. */
  readonly before: number | undefined;
  /** Its change is shown. */
  readonly current: boolean;
  readonly mayRollBack: boolean;
}

function GenerationLine({ of, item, before, current, mayRollBack }: GenerationLineProps) {
  const now = useNow();
  const { generation, at, by, reason, changes, rolledBackTo } = item;
  const place = ['manifests', of.namespace, of.name, 'history'];
  const title = <strong>generation {generation}</strong>;
  return (
    <li className={current ? 'shown' : undefined}>
      <p className="card-title">
        {before === undefined ? (
          title
        ) : (
          <a
            href={hrefOf(place, { from: String(before), to: String(generation) })}
            aria-current={current ? 'true' : undefined}
            data-row
          >
            {title}
          </a>
        )}
        {item.current && <span className="tag">current</span>}
        {rolledBackTo !== undefined && <span className="tag">rolled back to {rolledBackTo}</span>}
        <span className="dim">
          {reason} {by !== undefined && `by ${by}`}
          {at !== undefined && (
            <>
              {' · '}
              <time dateTime={at}>{clock(at, now)}</time> ({timeAgo(at, now)})
            </>
          )}
        </span>
      </p>
      <p className="ways">
        <a href={hrefOf(place, { document: String(generation) })}>Whole document</a>
        {mayRollBack && !item.current && (
          <a href={hrefOf(['manifests', of.namespace, of.name, 'plan'], { goal: 'rollback', to: String(generation) })}>
            Plan a roll back to it
          </a>
        )}
      </p>
      {generation === 1 ? null : changes === null ? (
        <p className="dim">what it changed is not kept</p>
      ) : (
        <ul>
          {changes.map((change) => (
            <li key={change}>{change}</li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** The document of one generation, as it was accepted. */
function WholeDocument({ of, generation }: { readonly of: Name; readonly generation: number }) {
  const found = useQuery({
    queryKey: ['generation', of.namespace, of.name, generation],
    queryFn: ({ signal }) =>
      ask('GET /v1/manifests/{namespace}/{name}/generations/{generation}', { params: { ...of, generation }, signal }),
    // Generations never change.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <section aria-labelledby="document-title">
      <div className="diff-title">
        <h2 id="document-title">Document of generation {generation}</h2>
        <a href={hrefOf(['manifests', of.namespace, of.name, 'history'])}>What changed</a>
      </div>
      <Answered of={found} what="the document">
        {({ document }) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
          <section className="scroll whole" tabIndex={0} aria-label={`Generation ${generation} as YAML`}>
            <pre>{yamlText(document)}</pre>
          </section>
        )}
      </Answered>
    </section>
  );
}

interface ComparisonProps {
  readonly of: Name;
  readonly items: readonly Generation[];
  readonly from: number;
  readonly to: number;
}

function Comparison({ of, items, from, to }: ComparisonProps) {
  const diff = useQuery({
    queryKey: ['generation-diff', of.namespace, of.name, from, to],
    queryFn: ({ signal }) =>
      ask('GET /v1/manifests/{namespace}/{name}/generations/{generation}/diff', {
        params: { ...of, generation: to },
        query: { from },
        signal,
      }),
    // Generations never change.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const choose = (change: Readonly<Record<string, string>>): void =>
    go(hrefOf(['manifests', of.namespace, of.name, 'history'], { from: String(from), to: String(to), ...change }), {
      replace: true,
    });
  const place = items.findIndex(({ generation }) => generation === to);
  const isOneStep = items[place + 1]?.generation === from;
  const options = items.map(({ generation }) => <option key={generation}>{generation}</option>);
  return (
    <section aria-labelledby="diff-title">
      <div className="diff-title">
        <h2 id="diff-title">What changed</h2>
        <label>
          <span className="hidden">from generation</span>
          <select value={from} onChange={(event) => choose({ from: event.target.value })}>
            {options}
          </select>
        </label>
        <span aria-hidden="true">→</span>
        <label>
          <span className="hidden">to generation</span>
          <select value={to} onChange={(event) => choose({ to: event.target.value })}>
            {options}
          </select>
        </label>
        <CopyCommand command={commands.diff(of, from, to)} />
      </div>
      {!diff.data ? (
        diff.error ? (
          <Trouble error={diff.error} what="the difference" />
        ) : (
          <Loading what="the difference" />
        )
      ) : diff.data.diff === '' ? (
        <p className="dim">Both documents are the same.</p>
      ) : (
        <>
          {/* Those of one generation are next to it already. */}
          {!isOneStep && (
            <ul>
              {diff.data.changes.map((change) => (
                <li key={change}>{change}</li>
              ))}
            </ul>
          )}
          <DiffView patch={diff.data.diff} title={`Generation ${from} and generation ${to}, line by line`} />
        </>
      )}
    </section>
  );
}
