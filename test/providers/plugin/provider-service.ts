/** One provider of the plugin protocol on top of a schema and a simulated cloud. */
import { type CtyObject, type CtyValue, Unknown } from './cty-value.ts';
import { dataAnswers } from './data-answers.ts';
import type { UnaryMethod } from './grpc-listener.ts';
import { makerOf } from './made-up-values.ts';
import { applied, plannedCreation, replacedBy } from './planned-values.ts';
import { decodeMessage, dynamicValue, encodeMessage, errorDiagnostic, objectOf, schemaMessage } from './protocol.ts';
import { replacingAttributes } from './replacing-attributes.ts';
import type { SchemaFixture, VersionedSchema } from './schema-fixture.ts';
import { type Account, CloudRefusal, type SimulatedCloud } from './simulated-cloud.ts';

type Fields = Readonly<Record<string, unknown>>;
interface Speaker {
  readonly account: Account;
  readonly region: string;
}

/** Provider arguments that say where, not who. */
const placeArguments = ['region', 'location', 'zone'] as const;

export class ProviderService {
  readonly #fixture: SchemaFixture;
  readonly #cloud: SimulatedCloud;
  /** Terraform opens a connection for each provider block. */
  readonly #speakers = new WeakMap<object, Speaker>();

  constructor(fixture: SchemaFixture, cloud: SimulatedCloud) {
    this.#fixture = fixture;
    this.#cloud = cloud;
  }

  /** The methods by their gRPC path. */
  methods(): ReadonlyMap<string, UnaryMethod> {
    const schema = encodeMessage('GetProviderSchemaResponse', schemaMessage(this.#fixture));
    const nothing = () => ({});
    const table: readonly (readonly [string, string, string, (fields: Fields, connection: object) => Fields])[] = [
      ['GetMetadata', 'Empty', 'GetMetadataResponse', () => this.#metadata()],
      ['ValidateProviderConfig', 'ValidateProviderConfigRequest', 'ValidateProviderConfigResponse', nothing],
      ['ValidateResourceConfig', 'ValidateConfigRequest', 'ValidateConfigResponse', nothing],
      ['ValidateDataResourceConfig', 'ValidateConfigRequest', 'ValidateConfigResponse', nothing],
      [
        'ConfigureProvider',
        'ConfigureProviderRequest',
        'ConfigureProviderResponse',
        (...all) => this.#configure(...all),
      ],
      ['UpgradeResourceState', 'UpgradeResourceStateRequest', 'UpgradeResourceStateResponse', upgrade],
      ['ReadResource', 'ReadResourceRequest', 'ReadResourceResponse', (fields) => this.#read(fields)],
      ['PlanResourceChange', 'PlanResourceChangeRequest', 'PlanResourceChangeResponse', (fields) => this.#plan(fields)],
      [
        'ApplyResourceChange',
        'ApplyResourceChangeRequest',
        'ApplyResourceChangeResponse',
        (...all) => this.#apply(...all),
      ],
      ['ReadDataSource', 'ReadDataSourceRequest', 'ReadDataSourceResponse', (...all) => this.#readData(...all)],
      ['StopProvider', 'Empty', 'StopProviderResponse', nothing],
    ];
    return new Map<string, UnaryMethod>([
      [pathOf('GetProviderSchema'), () => schema],
      ...table.map(([method, request, response, call]): [string, UnaryMethod] => [
        pathOf(method),
        (bytes, connection) => encodeMessage(response, call(decodeMessage(request, bytes), connection)),
      ]),
    ]);
  }

  #metadata(): Fields {
    const { resource_schemas: resources, data_source_schemas: dataSources } = this.#fixture.schema;
    const named = (all: object) => Object.keys(all).map((typeName) => ({ typeName }));
    return {
      resources: named(resources),
      dataSources: named(dataSources),
      serverCapabilities: { getProviderSchemaOptional: true },
    };
  }

  #configure({ config }: Fields, connection: object): Fields {
    const configuration = objectOf(config) ?? {};
    const place = placeArguments.map((name) => configuration[name]).find((value) => typeof value === 'string');
    const who = Object.entries(configuration).filter(([name]) => !placeArguments.some((argument) => argument === name));
    if (who.some(([, value]) => value instanceof Unknown)) {
      return { diagnostics: [errorDiagnostic('The provider is configured with values that are not known yet.')] };
    }
    const account = this.#cloud.account(Object.fromEntries(who));
    this.#speakers.set(connection, { account, region: typeof place === 'string' ? place : '' });
    return {};
  }

  #read({ currentState, private: key }: Fields): Fields {
    const found = this.#cloud.find(keyOf(key));
    return { newState: found === undefined ? dynamicValue(null) : currentState, private: key };
  }

  #plan({ typeName, priorState, proposedNewState, config, priorPrivate }: Fields): Fields {
    const type = String(typeName);
    const [prior, proposed] = [objectOf(priorState), objectOf(proposedNewState)];
    if (proposed === null) return { plannedState: proposedNewState, plannedPrivate: priorPrivate };
    if (prior === null) {
      const planned = plannedCreation(this.#resource(type).block, objectOf(config) ?? {}, proposed);
      return { plannedState: dynamicValue(planned) };
    }
    const replacing = replacedBy(replacingAttributes[type] ?? [], prior, proposed);
    return {
      plannedState: proposedNewState,
      plannedPrivate: priorPrivate,
      requiresReplace: replacing.map((name) => ({ steps: [{ attributeName: name }] })),
    };
  }

  #apply({ typeName, priorState, plannedState, plannedPrivate }: Fields, connection: object): Fields {
    const type = String(typeName);
    const planned = objectOf(plannedState);
    try {
      if (planned === null) {
        this.#cloud.delete(this.#cloud.like(type, objectOf(priorState) ?? {})?.key ?? '');
        return { newState: plannedState };
      }
      const { account, region: blockRegion } = this.#speakerOf(connection);
      const region = placeArguments.map((name) => planned[name]).find((at) => typeof at === 'string') ?? blockRegion;
      const key = objectOf(priorState) === null ? this.#cloud.newKey(type) : keyOf(plannedPrivate);
      const make = makerOf({
        type,
        region,
        config: planned,
        seed: `${account.name}/${key}`,
        address: (seed) => this.#cloud.address(seed),
      });
      const values = applied(this.#resource(type).block, planned, make);
      const object = { key, type, account, region, values };
      if (objectOf(priorState) === null) this.#cloud.create(object);
      else this.#cloud.update(object);
      return { newState: dynamicValue(values), private: new TextEncoder().encode(key) };
    } catch (error) {
      if (!(error instanceof CloudRefusal)) throw error;
      const what = planned === null ? 'deleting' : 'creating or updating';
      return { newState: priorState, diagnostics: [errorDiagnostic(`${what} ${type}: ${error.message}`)] };
    }
  }

  #readData({ typeName, config }: Fields, connection: object): Fields {
    const type = String(typeName);
    const schema = this.#fixture.schema.data_source_schemas[type];
    if (schema === undefined) throw new Error(`The fixture of ${this.#fixture.provider} has no data source ${type}.`);
    const asked = objectOf(config) ?? {};
    const { account, region } = this.#speakerOf(connection);
    const known = dataAnswers[type]?.({ asked, region, zones: this.#cloud.zones }) ?? {};
    const wanted: CtyObject = { ...asked, ...known };
    const seed = `${account.name}/${region}/${type}/${JSON.stringify(asked)}`;
    const make = makerOf({ type, region, config: asked, seed, address: (text) => this.#cloud.address(text) });
    const values = applied(schema.block, plannedCreation(schema.block, wanted, wanted), make);
    return { state: dynamicValue(values) };
  }

  #resource(type: string): VersionedSchema {
    const schema = this.#fixture.schema.resource_schemas[type];
    if (schema === undefined) throw new Error(`The fixture of ${this.#fixture.provider} has no resource ${type}.`);
    return schema;
  }

  #speakerOf(connection: object): Speaker {
    const speaker = this.#speakers.get(connection);
    if (speaker === undefined) throw new Error(`${this.#fixture.provider} was used before it was configured.`);
    return speaker;
  }
}

const pathOf = (method: string): string => `/tfplugin6.Provider/${method}`;

const keyOf = (bytes: unknown): string => (bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : '');

/** The state of the same version, from the JSON of the state file. */
function upgrade({ rawState }: Fields): Fields {
  const { json } = (rawState ?? {}) as { readonly json?: Uint8Array };
  const state: CtyValue = JSON.parse(new TextDecoder().decode(json ?? new TextEncoder().encode('null')));
  return { upgradedState: dynamicValue(state as CtyObject | null) };
}
