/** Configurations for the toy provider: the fixture provider is tested on a cloud that does not exist. */
import type { RootModule } from '#rendering/root-module.ts';

interface ToyOptions {
  /** Alias → token and region. */
  readonly accounts: Readonly<Record<string, { readonly token: string; readonly region: string }>>;
  readonly resource: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly output?: Readonly<Record<string, unknown>>;
}

export function toyRoot({ accounts, ...rest }: ToyOptions): RootModule {
  return {
    terraform: { required_providers: { toy: { source: 'example/toy', version: '1.0.0' } } },
    provider: { toy: Object.entries(accounts).map(([alias, account]) => ({ alias, ...account })) },
    ...rest,
  };
}

/** A network with one machine, as `name`, in the account of the alias `account`. */
export function machineIn(account: string, name = 'one', change: Readonly<Record<string, unknown>> = {}) {
  const provider = `toy.${account}`;
  return {
    toy_network: { [account]: { provider, name: `net-${account}`, range: '10.0.0.0/16', rule: [{ port: 22 }] } },
    toy_subnet: {
      [account]: { provider, network_id: `\${toy_network.${account}.id}`, range: '10.0.1.0/24' },
    },
    toy_key: { [account]: { provider, name: 'key', public_key: 'ssh-ed25519 AAAA' } },
    toy_machine: {
      [account]: {
        provider,
        name,
        image: '${data.toy_image.image.id}',
        key_ids: [`\${toy_key.${account}.id}`],
        tags: { generation: '1' },
        nic: [{ subnet_id: `\${toy_subnet.${account}.id}`, aliases: [{ name: 'inner' }] }],
        ...change,
      },
    },
  };
}

export const toyImage = (account: string) => ({ toy_image: { image: { provider: `toy.${account}`, name: 'debian' } } });
