/** Whether the role of a runner or of a function allows what a request to the local services asks for, in the terms of IAM. */
import { functionActions, functionMay } from '#functions/rights/function-rights.ts';
import {
  mayReplaceSecrets,
  type RunnerTool,
  runnerActions,
  runnerTools,
  usesOfTool,
} from '#functions/rights/runner-rights.ts';
import { functionUses } from '#functions/rights/uses.ts';
import { runnerProject } from '../names.ts';
import type { Principal } from './access-key.ts';
import { deniedSentence } from './bounded-ports.ts';
import { sessionMay } from './session-rights.ts';

/** The message of AWS for an action that is not allowed; undefined when it is. `keys`: what it uses; none for what has no key. */
export function denial(who: Principal, action: string, keys: readonly string[]): string | undefined {
  if (keys.length === 0) return actionsOfPrincipal(who).includes(action) ? undefined : sentence(who, action, '*');
  const denied = keys.find((key) => !may(who, action, key));
  return denied === undefined ? undefined : sentence(who, action, denied);
}

/** The same for an operation of a service that speaks JSON, with what it requests in addition to its keys. */
export function denialOf(who: Principal, service: string, operation: string, input: unknown): string | undefined {
  if (operation === 'TransactWriteItems') return denialOfTransaction(who, service, input);
  const action = `${prefixOfService[service] ?? service.toLowerCase()}:${operation}`;
  const keys = touchedKeys(service, operation, input);
  const { Overwrite, WithDecryption } = Object(input);
  const replaces = action === 'ssm:PutParameter' && Overwrite === true;
  const uses = who.kind === 'session' ? usesOfTool[who.tool] : who.kind === 'function' ? functionUses(who.name) : [];
  // Who only creates Secrets replaces none; of functions, only what sends notifications sees values, of those that it may read.
  if (replaces && !mayReplaceSecrets(uses)) return sentence(who, action, keys.join(', '));
  if (WithDecryption === true && who.kind === 'function' && !uses.includes('secrets.get'))
    return sentence(who, 'kms:Decrypt', keys.join(', '));
  return denial(who, action, keys);
}

/** There is no right to a transaction: each of its writes needs that of its own (`Put`: `dynamodb:PutItem`). */
function denialOfTransaction(who: Principal, service: string, input: unknown): string | undefined {
  const entries: readonly unknown[] = Object(input).TransactItems ?? [];
  const writes = entries.flatMap((entry) => Object.entries(Object(entry)));
  const denials = writes.map(([kind, write]) => denialOf(who, service, `${kind}Item`, write));
  return denials.find((sentence) => sentence !== undefined);
}

/** Services whose actions do not begin with their name. */
const prefixOfService: Readonly<Record<string, string>> = { 'Step Functions': 'states' };

/** The role of a project may ask for credentials, which is no service of these. */
function actionsOfPrincipal(who: Principal): readonly string[] {
  if (who.kind === 'build') return [];
  if (who.kind === 'function') return functionActions(who.name);
  return Date.now() > who.until ? [] : runnerActions(who.tool);
}

function may(who: Principal, action: string, key: string): boolean {
  if (who.kind === 'build') return false;
  return who.kind === 'session' ? sessionMay(who, action, key) : functionMay(who.name, action, key);
}

const sentence = (who: Principal, action: string, resource: string): string =>
  deniedSentence(`the ${who.kind === 'session' ? `runner ${who.tool}` : `${who.kind} ${who.name}`}`, action, resource);

/** The keys that an operation of DynamoDB (partitions), Parameter Store (paths without the prefix) or CodeBuild (runners) uses. */
function touchedKeys(service: string, operation: string, input: unknown): readonly string[] {
  if (service === 'DynamoDB') return operation === 'Query' ? [partitionOfQuery(input)] : partitionsOf(input);
  if (service === 'CodeBuild') return runnersOf(input);
  const { Name, Names, Path } = Object(input);
  const parameters = [Name, Path, ...(Array.isArray(Names) ? Names : [])].filter((name) => typeof name === 'string');
  if (service !== 'SSM') return [];
  return parameters.map((name: string) => (name.startsWith(secretPrefix) ? name.slice(secretPrefix.length) : name));
}

/** Runners whose builds it is about; none for the one project of a simulated platform, which is that of all. */
function runnersOf(input: unknown): readonly RunnerTool[] {
  const { id, ids, projectName } = Object(input);
  // The id of a build is the name of its project, and a number.
  const projects = [id, projectName, ...(Array.isArray(ids) ? ids : [])].map((text) => String(text).split(':')[0]);
  return runnerTools.filter((tool) => projects.includes(runnerProject(tool)));
}

function partitionsOf(input: unknown): readonly string[] {
  const { Key, Item, RequestItems } = Object(input);
  const requests = Object.values(Object(RequestItems));
  const written = requests.flatMap((entry) => (Array.isArray(entry) ? entry : []));
  const items = [
    ...[Key, Item],
    ...written.flatMap(({ PutRequest, DeleteRequest }) => [PutRequest?.Item, DeleteRequest?.Key]),
    ...requests.flatMap((entry) => Object(entry).Keys ?? []),
  ];
  return items.flatMap((item) => (typeof item?.pk?.S === 'string' ? [item.pk.S] : []));
}

/** What a query, of the table or of its index, compares the partition key with. */
function partitionOfQuery(input: unknown): string {
  const { KeyConditionExpression = '', ExpressionAttributeValues } = Object(input);
  const [, value = ''] = /^#(?:pk|duePartition) = (:\w+)/.exec(String(KeyConditionExpression)) ?? [];
  return String(Object(ExpressionAttributeValues)[value]?.S ?? '');
}

const secretPrefix = `${process.env.KUBELOOM_SECRET_PREFIX ?? '/kubeloom'}/`;
