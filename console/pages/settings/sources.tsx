/** GitSources: repositories whose manifests are submitted automatically, and the result of their last commit. */
import { type AnswerTo, ask } from '../../api.ts';
import { commands } from '../../model/commands.ts';
import { may } from '../../model/rights.ts';
import { found } from '../../model/stored-names.ts';
import { timeAgo } from '../../model/times.ts';
import { AskFirst } from '../../parts/ask-first.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { SettingsFrame } from '../../parts/settings-frame.tsx';
import { Answered, Empty, useNow } from '../../parts/states.tsx';
import { Sign, type Tone } from '../../parts/status.tsx';
import { useWhoAmI } from '../../queries.ts';
import { hrefOf } from '../../routes.ts';
import { useSources } from '../../settings-queries.ts';

const tones: Readonly<Record<string, Tone>> = {
  Pending: 'calm',
  Fetching: 'work',
  Ready: 'good',
  Suspended: 'calm',
  Faulty: 'bad',
  Unreachable: 'warn',
  Refused: 'bad',
};

interface ViewProps {
  readonly chosen: Readonly<Record<string, string>>;
}

export function SourcesView({ chosen }: ViewProps) {
  const sources = useSources();
  return (
    <SettingsFrame view="sources" chosen={chosen} of={[sources]}>
      <Answered of={sources} what="git sources">
        {(all) => <Sources all={all} search={chosen.search ?? ''} />}
      </Answered>
    </SettingsFrame>
  );
}

/** What is not known is left out. */
const facts = (known: Readonly<Record<string, string | undefined>>) =>
  Object.entries(known).map(
    ([title, text]) =>
      text !== undefined && (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{text}</dd>
        </div>
      ),
  );

type Source = AnswerTo<'GET /v1/git-sources'>['items'][number];

function Sources({ all, search }: { readonly all: readonly Source[]; readonly search: string }) {
  const now = useNow();
  const me = useWhoAmI();
  if (all.length === 0)
    return (
      <Empty title="No git source">
        <p>A GitSource names a repository; what is in its manifests is submitted with each commit.</p>
        <CopyCommand command={commands.store('source.yaml')} />
      </Empty>
    );
  const rows = found(all, search, ({ namespace, name, url, ref }) => `${namespace}/${name} ${url} ${ref}`);
  if (rows.length === 0) return <Empty title="Nothing matches" />;
  return (
    <>
      <p>
        <CopyCommand command={commands.sources()} />
      </p>
      {rows.map(({ namespace, name, url, ref, path, by, status }) => (
        <section
          key={`${namespace}/${name}`}
          className={tones[status.state] === 'bad' ? 'card bad' : 'card'}
          aria-label={`${namespace}/${name}`}
        >
          <h2 className="card-title">
            {namespace}/{name} <Sign tone={tones[status.state] ?? 'calm'} word={status.state} />
          </h2>
          <dl className="facts">
            {facts({ repository: url, 'branch or tag': ref, folder: path, 'with the rights of': by })}
            {facts({
              commit: status.commit,
              read: status.readAt === undefined ? undefined : timeAgo(status.readAt, now),
            })}
          </dl>
          {status.problem && (
            <p>
              {status.problem.reason} <span className="hint">→ {status.problem.fix}</span>
            </p>
          )}
          <ul>
            {status.faults.map(({ file, path: at, reason, line }) => (
              <li key={`${file} ${at} ${reason}`}>
                <code>
                  {file}
                  {line !== undefined && `:${line}`}
                </code>{' '}
                <code>{at}</code> {reason}
              </li>
            ))}
          </ul>
          <ul className="plain">
            {status.manifests.map((row) => (
              <li key={row.name}>
                <a href={hrefOf(['manifests', namespace, row.name])} data-row>
                  {row.name}
                </a>{' '}
                <span className="tag">{row.state}</span> <span className="dim">{row.file}</span> {row.because}
              </li>
            ))}
          </ul>
          <p className="choices">
            {may(me.data, 'operator', namespace) && (
              <AskFirst
                title="Ask the repository now"
                about={`${namespace}/${name}`}
                says="Its commit is read now, and submitted again even if it is known."
                command={commands.syncSource({ namespace, name })}
                send={() => ask('POST /v1/git-sources/{namespace}/{name}/sync', { params: { namespace, name } })}
              />
            )}
            <CopyCommand command={commands.source({ namespace, name })} />
          </p>
        </section>
      ))}
    </>
  );
}
