/** Provider instances of all manifests, and what the last check of their credentials found. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type AnswerTo, ask, RequestRefused } from '../../api.ts';
import { commands } from '../../model/commands.ts';
import { countOf } from '../../model/count-of.ts';
import { may } from '../../model/rights.ts';
import { found, type Named } from '../../model/stored-names.ts';
import { timeAgo } from '../../model/times.ts';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { RowsTable } from '../../parts/rows-table.tsx';
import { SettingsFrame } from '../../parts/settings-frame.tsx';
import { Answered, Empty, NotAccepted, Trouble, useNow } from '../../parts/states.tsx';
import { Sign, type Tone } from '../../parts/status.tsx';
import { useWhoAmI } from '../../queries.ts';
import { go, hrefOf } from '../../routes.ts';
import { type ListedInstance, useInstances } from '../../settings-queries.ts';

type Check = AnswerTo<'GET /v1/manifests/{namespace}/{name}/providers/{provider}/checks/{check}'>;

/** More rows are found by searching. */
const shownAtMost = 200;

interface ViewProps {
  readonly chosen: Readonly<Record<string, string>>;
}

/** The last check of so many rows is asked for; of the others when they are opened. */
const checkedAtMost = 25;

const idOf = ({ namespace, manifest, name }: ListedInstance): string => `${namespace}/${manifest}/${name}`;

export function ProvidersView({ chosen }: ViewProps) {
  const instances = useInstances(0);
  return (
    <SettingsFrame view="providers" chosen={chosen} of={[instances]}>
      <Answered of={instances} what="provider instances">
        {(all) => <Instances instances={all} chosen={chosen} />}
      </Answered>
    </SettingsFrame>
  );
}

function Instances({ instances, chosen }: ViewProps & { readonly instances: readonly ListedInstance[] }) {
  const search = chosen.search ?? '';
  if (instances.length === 0)
    return (
      <Empty title="No provider instance yet">
        <p>
          A manifest names the clouds that it uses in <code>spec.providers</code>.
        </p>
        <CopyCommand command={commands.store('manifest.yaml')} />
      </Empty>
    );
  const rows = found(instances, search, (one) => `${idOf(one)} ${one.type} ${one.regions.join(' ')}`);
  const choose = (id: string | undefined): void =>
    go(hrefOf(['settings', 'providers'], { search, instance: id }), { replace: true });
  if (rows.length === 0) return <Empty title="Nothing matches" />;
  return (
    <>
      <p className="dim">
        {countOf(rows.length, 'provider instance')}
        {rows.length > shownAtMost && `; the first ${shownAtMost} are shown`}
      </p>
      <ul className="plain instances">
        {rows.slice(0, shownAtMost).map((instance, place) => {
          const id = idOf(instance);
          const open = chosen.instance === id;
          return (
            <li key={id}>
              <button
                type="button"
                className="quiet row-button"
                aria-expanded={open}
                onClick={() => choose(open ? undefined : id)}
                data-row
              >
                <span aria-hidden="true">{open ? '▾' : '▸'}</span> <strong>{instance.name}</strong>
              </button>
              <span className="tag">{instance.type}</span>
              <a href={hrefOf(['manifests', instance.namespace, instance.manifest])}>
                {instance.namespace}/{instance.manifest}
              </a>{' '}
              <span className="dim">
                {instance.pools === 0 ? 'makes no pool' : `makes ${countOf(instance.pools, 'pool')}`}
                {instance.regions.length > 0 && ` in ${instance.regions.join(', ')}`}
              </span>
              {place < checkedAtMost && (
                <span className="line-end">
                  <LastCheck of={instance} />
                </span>
              )}
              {open && <InstanceDetails instance={instance} />}
            </li>
          );
        })}
      </ul>
    </>
  );
}

function InstanceDetails({ instance }: { readonly instance: ListedInstance }) {
  const { namespace, manifest: name, name: provider, secrets, templates } = instance;
  const me = useWhoAmI();
  const client = useQueryClient();
  const check = useLatestCheck(instance);
  const start = useMutation({
    mutationFn: () =>
      ask('POST /v1/manifests/{namespace}/{name}/providers/{provider}/check', {
        params: { namespace, name, provider },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: checkKey(instance) }),
  });
  const running = start.isPending || check.data?.status === 'running';
  return (
    <div className="card">
      <dl>
        <Names title="Secrets" names={secrets} none="needs none" />
        <Names title="Templates" names={templates} none="the built-in ones" />
      </dl>
      {check.error ? (
        <Trouble error={check.error} what="the check" />
      ) : (
        check.data === undefined && <p className="dim">Asking for the last check …</p>
      )}
      {start.error && <NotAccepted error={start.error} what="The check" />}
      {check.data === null && !running && <p className="dim">Its credentials were never checked.</p>}
      {check.data && <Findings check={check.data} />}
      <p className="choices">
        {may(me.data, 'operator', namespace) && (
          <button type="button" disabled={running} onClick={() => start.mutate()}>
            {running ? 'Checking …' : 'Check its credentials'}
          </button>
        )}
        <CopyCommand command={commands.checkProvider({ namespace, name, provider })} />
      </p>
    </div>
  );
}

const checkKey = ({ namespace, manifest, name }: ListedInstance) => ['provider-check', namespace, manifest, name];

function useLatestCheck(instance: ListedInstance) {
  const { namespace, manifest, name } = instance;
  return useQuery({
    queryKey: checkKey(instance),
    queryFn: ({ signal }) => latestCheck({ namespace, name: manifest, provider: name }, signal),
    staleTime: 10_000,
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? 1000 : false),
  });
}

function LastCheck({ of }: { readonly of: ListedInstance }) {
  const now = useNow(10);
  const { data: check } = useLatestCheck(of);
  if (check === undefined) return null;
  if (check === null) return <span className="dim">never checked</span>;
  const [tone, word] = verdictOf(check);
  return (
    <>
      <Sign tone={tone} word={word} /> <span className="dim">{timeAgo(check.endedAt ?? check.startedAt, now)}</span>
    </>
  );
}

/** Null if there was no check. */
async function latestCheck(
  params: { readonly namespace: string; readonly name: string; readonly provider: string },
  signal: AbortSignal,
): Promise<Check | null> {
  try {
    return await ask('GET /v1/manifests/{namespace}/{name}/providers/{provider}/checks/{check}', {
      params: { ...params, check: 'latest' },
      signal,
    });
  } catch (error) {
    if (error instanceof RequestRefused && error.problem.status === 404) return null;
    throw error;
  }
}

function Names({
  title,
  names,
  none,
}: {
  readonly title: string;
  readonly names: readonly Named[];
  readonly none: string;
}) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {names.length === 0 ? (
          <span className="dim">{none}</span>
        ) : (
          names.map(({ namespace, name }) => (
            <code key={`${namespace}/${name}`}>
              {namespace}/{name}{' '}
            </code>
          ))
        )}
      </dd>
    </div>
  );
}

/** What is found out of its findings. */
function verdictOf({ status, findings }: Check): readonly [tone: Tone, word: string] {
  const bad = findings.filter(({ ok }) => ok === false).length;
  if (status === 'running') return ['work', 'is checked now'];
  if (status === 'lost') return ['warn', 'ended without a result'];
  if (bad > 0) return ['bad', `${bad} of ${countOf(findings.length, 'finding')} fail`];
  if (findings.length === 0) return ['good', 'needs no credentials'];
  return findings.some(({ ok }) => ok) ? ['good', 'all is well'] : ['calm', 'nothing could be found out'];
}

function Findings({ check }: { readonly check: Check }) {
  const now = useNow();
  const [tone, word] = verdictOf(check);
  return (
    <>
      <p>
        <Sign tone={tone} word={word} />{' '}
        <span className="dim">checked {timeAgo(check.endedAt ?? check.startedAt, now)}</span>
        {check.status === 'lost' && (
          <span className="dim">
            {' '}
            · the log of build <code>{check.build}</code> has the reason
          </span>
        )}
      </p>
      {check.findings.length > 0 && (
        <RowsTable
          columns={[{ title: 'Finding' }, { title: 'About', names: true }, { title: 'What was found' }]}
          rows={check.findings.map(({ about, name, ok, message }) => ({
            key: `${about} ${name}`,
            cells: [
              <Sign
                key="ok"
                tone={ok === null ? 'calm' : ok ? 'good' : 'bad'}
                word={ok === null ? 'not known' : ok ? 'fine' : 'fails'}
              />,
              <span key="about">
                {about} <code>{name}</code>
              </span>,
              message,
            ],
          }))}
        />
      )}
    </>
  );
}
