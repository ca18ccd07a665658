/** Secrets by their names, and which provider instances need them. Values are never answered. */
import { commands } from '../../model/commands.ts';
import { counted } from '../../model/counted.ts';
import { found, type Named, secretRows } from '../../model/stored-names.ts';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { Empty, Loading } from '../../parts/states.tsx';
import { Sign } from '../../parts/status.tsx';
import { hrefOf } from '../../routes.ts';
import type { ProviderInstance } from '../../settings-queries.ts';

interface SecretsViewProps {
  readonly secrets: readonly Named[] | undefined;
  readonly instances: readonly ProviderInstance[] | undefined;
  readonly search: string;
}

export function SecretsView({ secrets, instances, search }: SecretsViewProps) {
  if (!secrets || !instances) return <Loading what="names of Secrets" />;
  const all = secretRows(secrets, instances);
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
  return (
    <>
      <p>
        <CopyCommand command={commands.secrets()} />{' '}
        <span className="dim">{counted(rows.length, 'Secret')}. Names only: values cannot be read back.</span>
      </p>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Secret</th>
              <th scope="col">State</th>
              <th scope="col">Provider instances that need it</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ namespace, name, stored, users }) => (
              <tr key={`${namespace}/${name}`}>
                <th scope="row">
                  <code>
                    {namespace}/{name}
                  </code>
                </th>
                <td>{stored ? <Sign tone="good" word="stored" /> : <Sign tone="bad" word="not stored" />}</td>
                <td>
                  {users.length === 0 && <span className="dim">none</span>}
                  {users.map((user) => (
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
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
