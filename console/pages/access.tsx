/** Who may do what, and who did what. */
import { useQuery } from '@tanstack/react-query';
import type { WhoAmI } from '#contracts/http-documents.ts';
import type { AnswerTo } from '../api.ts';
import { useFeed } from '../feed.ts';
import { auditKinds, type Deed, deedsOf } from '../model/audit.ts';
import { commands } from '../model/commands.ts';
import { countOf } from '../model/count-of.ts';
import { calmFor } from '../model/pace.ts';
import { may } from '../model/rights.ts';
import { found } from '../model/stored-names.ts';
import { timeAgo } from '../model/times.ts';
import { TitledChoice } from '../parts/choice.tsx';
import { CopyCommand } from '../parts/copy-command.tsx';
import { Earlier } from '../parts/earlier.tsx';
import { RowsTable } from '../parts/rows-table.tsx';
import { Answered, Empty, Updated, useNow } from '../parts/states.tsx';
import { ViewTabs } from '../parts/view-tabs.tsx';
import { paced, useWhoAmI } from '../queries.ts';
import { go, hrefOf } from '../routes.ts';
import { askUnlessChanged } from '../unless-changed.ts';
import '../styles/settings.css';

const views = { roles: 'Roles', audit: 'Audit' } as const;
type Chosen = Readonly<Record<string, string>>;
type Binding = AnswerTo<'GET /v1/roles'>['items'][number];

export default function AccessPage({ view: wanted, chosen }: { readonly view: string; readonly chosen: Chosen }) {
  const view = Object.hasOwn(views, wanted) ? wanted : 'roles';
  return view === 'audit' ? <Audit chosen={chosen} /> : <Roles />;
}

function Roles() {
  const me = useWhoAmI();
  const isAdmin = may(me.data, 'admin', '*');
  const roles = useQuery({
    queryKey: ['roles'],
    queryFn: async ({ signal }) => (await askUnlessChanged('GET /v1/roles', { signal })).items,
    enabled: isAdmin,
    refetchInterval: paced<unknown>(() => calmFor(1)),
  });
  return (
    <>
      <div className="title">
        <h1>Access</h1>
        <Updated at={isAdmin ? roles.dataUpdatedAt : me.dataUpdatedAt} error={roles.error ?? me.error} />
      </div>
      <ViewTabs place={['access']} views={views} current="roles" />
      {me.data && <Myself me={me.data} />}
      <section aria-labelledby="roles-title">
        <h2 id="roles-title">
          Who has which role where <CopyCommand command={commands.roles()} />
        </h2>
        {!isAdmin && me.data && <p className="dim">Only an admin of all namespaces sees the roles of others.</p>}
        {isAdmin && (
          <Answered of={roles} what="roles">
            {(bindings) => <Bindings bindings={bindings} />}
          </Answered>
        )}
      </section>
    </>
  );
}

const kinds: Readonly<Record<WhoAmI['kind'], string>> = {
  iam: 'a principal of AWS',
  token: 'a token',
  unknown: 'not known',
};

function Myself({ me }: { readonly me: WhoAmI }) {
  return (
    <section aria-labelledby="me-title">
      <h2 id="me-title">
        You <CopyCommand command={commands.whoami()} />
      </h2>
      <dl>
        <div>
          <dt>Name</dt>
          <dd>
            <code>{me.name}</code>{' '}
            <span className="dim">
              {kinds[me.kind]}, from {me.from}
            </span>
          </dd>
        </div>
        <div>
          <dt>You are</dt>
          <dd>
            {me.grants.length === 0 && 'without any role'}
            {me.grants.map(({ role, namespaces }) => (
              <span key={`${role} ${namespaces.join()}`} className="tag">
                {role} in {namespaces.includes('*') ? 'all namespaces' : namespaces.join(', ')}
              </span>
            ))}
          </dd>
        </div>
      </dl>
    </section>
  );
}

function Bindings({ bindings }: { readonly bindings: readonly Binding[] }) {
  if (bindings.length === 0)
    return <Empty title="No role is given">Only the first admins, whom the installation names, may do anything.</Empty>;
  return (
    <RowsTable
      columns={[{ title: 'Binding', names: true }, { title: 'Role' }, { title: 'Namespaces' }, { title: 'Who' }]}
      rows={bindings.map(({ metadata, spec }) => ({
        key: metadata.name,
        cells: [
          metadata.name,
          <span key="role" className="tag">
            {spec.role}
          </span>,
          spec.namespaces.includes('*') ? 'all' : spec.namespaces.join(', '),
          spec.subjects.map((subject) => (
            <code key={JSON.stringify(subject)} className="user">
              {subjectText(subject)}
            </code>
          )),
        ],
      }))}
    />
  );
}

/** As the command line writes them. */
function subjectText(subject: Binding['spec']['subjects'][number]): string {
  if ('iam' in subject) return `iam:${subject.iam}`;
  if ('user' in subject) return `user:${subject.user}`;
  return `claim:${subject.claim.name}=${subject.claim.value}`;
}

/** More are found by searching. */
const shownAtMost = 500;

const spans = { '1': 'a day', '7': 'a week', '30': '30 days', '90': '90 days' } as const;

function Audit({ chosen }: { readonly chosen: Chosen }) {
  const now = useNow();
  const days = Object.keys(spans).find((span) => span === chosen.days) ?? '7';
  const by = chosen.by ?? '';
  const search = chosen.search ?? '';
  const feed = useFeed('audit', { namespace: '', kind: auditKinds.join(','), ms: Number(days) * 86_400_000 });
  const { query: events } = feed;
  const choose = (change: Chosen): void =>
    go(hrefOf(['access', 'audit'], { days, by, search, ...change }), { replace: true });
  const deeds = deedsOf(events.data?.events ?? []);
  const people = [...new Set(deeds.map((deed) => deed.by))].sort();
  const rows = found(
    deeds.filter((deed) => by === '' || deed.by === by),
    search,
    (deed) => `${deed.by} ${deed.what} ${deed.place}`,
  );
  return (
    <>
      <div className="title">
        <h1>Audit</h1>
        <Updated at={events.dataUpdatedAt} error={events.error} />
        <CopyCommand command={commands.audit(days, auditKinds)} label={`kubeloom events --since ${days}d --kind …`} />
      </div>
      <ViewTabs place={['access']} views={views} current="audit" />
      <div className="filters">
        <input
          type="search"
          aria-label="Search what was done"
          placeholder="Search what was done   /"
          value={search}
          onChange={(event) => choose({ search: event.target.value })}
        />
        <label>
          By{' '}
          <select value={by} onChange={(event) => choose({ by: event.target.value })}>
            <option value="">anyone</option>
            {[...new Set([...people, ...(by === '' ? [] : [by])])].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <TitledChoice title="In the last" of={spans} value={days} choose={(value) => choose({ days: value })} />
      </div>
      <Answered of={events} what="the audit">
        {() =>
          rows.length === 0 && (
            <Empty
              title={
                feed.hasEarlier
                  ? 'Nothing matches of what was read so far'
                  : deeds.length === 0
                    ? 'No one asked for anything in this time'
                    : 'Nothing matches'
              }
            />
          )
        }
      </Answered>
      {rows.length > 0 && <Deeds {...{ rows, now }} hasEarlier={feed.hasEarlier} />}
      <Earlier of={feed} />
    </>
  );
}

interface DeedsProps {
  readonly rows: readonly Deed[];
  readonly now: number;
  readonly hasEarlier: boolean;
}

function Deeds({ rows, now, hasEarlier }: DeedsProps) {
  return (
    <>
      <p className="dim">
        {countOf(rows.length, 'request')} that changed something, newest first; kept for 90 days
        {rows.length > shownAtMost && `. The first ${shownAtMost} are shown: search for others`}
        {hasEarlier && '. Earlier ones are read when you ask for them'}
      </p>
      <RowsTable
        className="audit"
        columns={[{ title: 'When' }, { title: 'Who', names: true }, { title: 'What' }, { title: 'Where' }]}
        rows={rows.slice(0, shownAtMost).map((deed) => ({
          key: deed.id,
          cells: [
            <time key="at" className="dim" dateTime={deed.at} title={deed.at}>
              {timeAgo(deed.at, now)}
            </time>,
            <code key="by">{deed.by}</code>,
            deed.what,
            <Where key="place" deed={deed} />,
          ],
        }))}
      />
    </>
  );
}

function Where({ deed: { namespace, manifest, rollOut, place } }: { readonly deed: Deed }) {
  if (rollOut !== undefined && namespace !== undefined)
    return (
      <a href={hrefOf(['inventory', namespace, 'rollouts'], { id: rollOut })} data-row>
        {place}
      </a>
    );
  if (manifest === undefined || namespace === undefined) return <span className="dim">{place}</span>;
  return (
    <a href={hrefOf(['manifests', namespace, manifest, 'events'])} data-row>
      {place}
    </a>
  );
}
