/** Whether the role of a runner allows what a request to the local services asks for, in the terms of IAM. */
import type { IncomingMessage } from 'node:http';
import { mayReplaceSecrets, type RunnerTool, runnerMay, usesOfTool } from '#functions/rights/runner-rights.ts';
import { deniedSentence } from './bounded-ports.ts';

/** The message of AWS for an action that is not allowed; undefined when it is. `keys`: the keys that it uses, none for a whole store. */
export function denial(tool: RunnerTool, action: string, keys: readonly string[]): string | undefined {
  const denied = (keys.length === 0 ? [''] : keys).find((key) => !runnerMay(tool, action, key));
  return denied === undefined ? undefined : deniedSentence(`the runner ${tool}`, action, denied);
}

/** The same for what an operation asks for besides its keys: who only creates Secrets replaces none. */
export function denialOf(tool: RunnerTool, action: string, input: unknown): string | undefined {
  const keys = touchedKeys(input);
  const replaces = action === 'ssm:PutParameter' && Object(input).Overwrite === true;
  if (replaces && !mayReplaceSecrets(usesOfTool[tool]))
    return deniedSentence(`the runner ${tool}`, action, keys.join(', '));
  return denial(tool, action, keys);
}

/** The action of a request to S3. No runner may delete many objects at once. */
export function s3Action({ method }: Pick<IncomingMessage, 'method'>, key: string, query: URLSearchParams): string {
  if (query.has('delete')) return 's3:DeleteObjects';
  if (key === '') return method === 'GET' || method === 'HEAD' ? 's3:ListBucket' : 's3:CreateBucket';
  if (method === 'GET' || method === 'HEAD') return 's3:GetObject';
  return method === 'DELETE' && !query.has('uploadId') ? 's3:DeleteObject' : 's3:PutObject';
}

/** The keys that an operation of DynamoDB (partitions) or Parameter Store (paths without the prefix) uses. */
function touchedKeys(input: unknown): readonly string[] {
  const { Name, Names, Path, Key, Item, RequestItems } = Object(input);
  const parameters = [Name, Path, ...(Array.isArray(Names) ? Names : [])].filter((name) => typeof name === 'string');
  const requests = Object.values(Object(RequestItems)).flatMap((entry) => (Array.isArray(entry) ? entry : []));
  const items = [
    Key,
    Item,
    ...requests.flatMap(({ PutRequest, DeleteRequest }) => [PutRequest?.Item, DeleteRequest?.Key]),
  ];
  return [
    ...parameters.map((name: string) => (name.startsWith(secretPrefix) ? name.slice(secretPrefix.length) : name)),
    ...items.flatMap((item) => (typeof item?.pk?.S === 'string' ? [item.pk.S] : [])),
  ];
}

const secretPrefix = `${process.env.KUBELOOM_SECRET_PREFIX ?? '/kubeloom'}/`;
