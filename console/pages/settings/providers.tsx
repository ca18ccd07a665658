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
import { Answered, Empty, Trouble, useNow } from '../../parts/states.tsx';
import { Sign } from '../../parts/status.tsx';
import { useWhoAmI } from '../../queries.ts';
import { go, hrefOf } from '../../routes.ts';
import { type ListedInstance, useInstances } from '../../settings-queries.ts';

type Check = AnswerTo<'GET /v1/manifests/{namespace}/{name}/providers/{provider}/checks/{check}'>;

/** More rows are found by searching. */
const shownAtMost = 200;

interface ViewProps {
  readonly chosen: Readonly<Record<string, string>>;
}

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
        {rows.slice(0, shownAtMost).map((instance) => {
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
  const queryKey = ['provider-check', namespace, name, provider];
  const check = useQuery({
    queryKey,
    queryFn: ({ signal }) => latestCheck({ namespace, name, provider }, signal),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? 1000 : false),
  });
  const start = useMutation({
    mutationFn: () =>
      ask('POST /v1/manifests/{namespace}/{name}/providers/{provider}/check', {
        params: { namespace, name, provider },
      }),
    onSettled: () => client.invalidateQueries({ queryKey }),
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
      {start.error && <Trouble error={start.error} what="the check" />}
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

/** Null when there was none. */
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

function Findings({ check }: { readonly check: Check }) {
  const now = useNow();
  const bad = check.findings.filter(({ ok }) => ok === false).length;
  const verdict =
    check.status === 'running' ? (
      <Sign tone="work" word="is checked now" />
    ) : check.status === 'lost' ? (
      <Sign tone="warn" word="ended without a result" />
    ) : bad > 0 ? (
      <Sign tone="bad" word={`${bad} of ${countOf(check.findings.length, 'finding')} fail`} />
    ) : check.findings.length === 0 ? (
      <Sign tone="good" word="needs no credentials" />
    ) : check.findings.some(({ ok }) => ok) ? (
      <Sign tone="good" word="all is well" />
    ) : (
      <Sign tone="calm" word="nothing could be found out" />
    );
  return (
    <>
      <p>
        {verdict} <span className="dim">checked {timeAgo(check.endedAt ?? check.startedAt, now)}</span>
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
