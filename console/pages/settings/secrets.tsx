/** Secrets by their names, and which provider instances need them. Values are never answered. */
import { commands } from '../../model/commands.ts';
import { countOf } from '../../model/count-of.ts';
import { may } from '../../model/rights.ts';
import { found, type SecretRow, secretRows } from '../../model/stored-names.ts';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { RowsTable } from '../../parts/rows-table.tsx';
import { SettingsFrame } from '../../parts/settings-frame.tsx';
import { Answered, Empty } from '../../parts/states.tsx';
import { Sign, type Tone } from '../../parts/status.tsx';
import { useWhoAmI } from '../../queries.ts';
import { hrefOf } from '../../routes.ts';
import { useSecrets } from '../../settings-queries.ts';

interface ViewProps {
  readonly chosen: Readonly<Record<string, string>>;
}

export function SecretsView({ chosen }: ViewProps) {
  const me = useWhoAmI();
  const { secrets, instances } = useSecrets();
  const sees = (namespace: string): boolean => may(me.data, 'viewer', namespace);
  const all = secrets.data && instances.data && me.data ? secretRows(secrets.data, instances.data, sees) : undefined;
  return (
    <SettingsFrame view="secrets" chosen={chosen} of={[secrets, instances]}>
      <Answered of={{ data: all, error: secrets.error ?? instances.error }} what="names of Secrets">
        {(rows) => <Secrets all={rows} search={chosen.search ?? ''} />}
      </Answered>
    </SettingsFrame>
  );
}

const states: Readonly<Record<SecretRow['state'], readonly [tone: Tone, word: string]>> = {
  missing: ['bad', 'not stored'],
  unseen: ['calm', 'not known: you may not see its namespace'],
  stored: ['good', 'stored'],
};

function Secrets({ all, search }: { readonly all: readonly SecretRow[]; readonly search: string }) {
  if (all.length === 0)
    return (
      <Empty title="No Secret is stored">
        <p>A Secret is stored from a terminal; its values cannot be read back, here or anywhere:</p>
        <CopyCommand command={commands.store('secret.yaml')} />
      </Empty>
    );
  const rows = found(all, search, ({ namespace, name, users }) =>
    [namespace, name, ...users.map((one) => `${one.manifest} ${one.name}`)].join(' '),
  );
  if (rows.length === 0) return <Empty title="Nothing matches" />;
  return (
    <>
      <p>
        <CopyCommand command={commands.secrets()} />{' '}
        <span className="dim">{countOf(rows.length, 'Secret')}. Names only: values cannot be read back.</span>
      </p>
      <RowsTable
        columns={[{ title: 'Secret', names: true }, { title: 'State' }, { title: 'Needed by' }]}
        rows={rows.map(({ namespace, name, state, users }) => ({
          key: `${namespace}/${name}`,
          cells: [
            <code key="name">
              {namespace}/{name}
            </code>,
            <Sign key="state" tone={states[state][0]} word={states[state][1]} />,
            <Users key="users" users={users} />,
          ],
        }))}
      />
    </>
  );
}

function Users({ users }: Pick<SecretRow, 'users'>) {
  if (users.length === 0) return <span className="dim">none</span>;
  return users.map((user) => (
    <a
      key={`${user.namespace}/${user.manifest}/${user.name}`}
      className="user"
      href={hrefOf(['settings', 'providers'], {
        instance: `${user.namespace}/${user.manifest}/${user.name}`,
        search: user.manifest,
      })}
    >
      {user.name} of {user.namespace}/{user.manifest}
    </a>
  ));
}
