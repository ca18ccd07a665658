/** The part of SSM's JSON API that a secret store needs: put, get, delete and list parameters. */
import type { RequestListener } from 'node:http';
import { z } from 'zod';
import type { Logger } from '../logger.ts';
import { parameterArn } from '../names.ts';
import { AwsFault, awsJsonListener, operation } from '../server/aws-json.ts';
import type { ParameterStore, StoredParameter } from './parameter-store.ts';

const Name = z
  .string()
  .min(1)
  .max(1011)
  .regex(/^\/?[a-zA-Z0-9_.-]+(\/[a-zA-Z0-9_.-]+){0,14}$/, 'not a parameter name');
const sizeLimits = { Standard: 4096, Advanced: 8192, 'Intelligent-Tiering': 8192 } as const;

const Put = z.object({
  Name,
  Value: z.string().min(1),
  Type: z.enum(['String', 'StringList', 'SecureString']).default('String'),
  Overwrite: z.boolean().default(false),
  Tier: z.enum(['Standard', 'Advanced', 'Intelligent-Tiering']).default('Standard'),
});
const Get = z.object({ Name, WithDecryption: z.boolean().default(false) });
const GetMany = z.object({ Names: z.array(Name).min(1).max(10), WithDecryption: z.boolean().default(false) });
const ByPath = z.object({
  Path: z.string().startsWith('/'),
  Recursive: z.boolean().default(false),
  WithDecryption: z.boolean().default(false),
  MaxResults: z.number().int().min(1).max(10).default(10),
  NextToken: z.string().optional(),
});

export function ssmListener(store: ParameterStore, logger: Logger): RequestListener {
  const shown = (parameter: StoredParameter, withDecryption: boolean) => ({
    ARN: parameterArn(parameter.name),
    Name: parameter.name,
    Type: parameter.type,
    Value: parameter.type === 'SecureString' && !withDecryption ? parameter.sealed : store.valueOf(parameter),
    Version: parameter.version,
    LastModifiedDate: parameter.modifiedAt,
    DataType: 'text',
  });

  const operations = {
    PutParameter: operation(Put, async (input) => {
      const limit = sizeLimits[input.Tier];
      if (Buffer.byteLength(input.Value) > limit)
        throw new AwsFault(
          'ValidationException',
          `${input.Name}: ${input.Tier} parameters hold at most ${limit} bytes`,
        );
      if (store.get(input.Name) && !input.Overwrite)
        throw new AwsFault('ParameterAlreadyExists', `${input.Name} exists; set Overwrite to replace it`);
      const { version } = await store.put(input.Name, input.Type, input.Value);
      return { Version: version, Tier: input.Tier === 'Advanced' ? 'Advanced' : 'Standard' };
    }),
    GetParameter: operation(Get, ({ Name: name, WithDecryption: withDecryption }) => {
      const parameter = store.get(name);
      if (!parameter) throw new AwsFault('ParameterNotFound', `there is no parameter ${name}`);
      return { Parameter: shown(parameter, withDecryption) };
    }),
    GetParameters: operation(GetMany, ({ Names: names, WithDecryption: withDecryption }) => {
      const found = names.map((name) => store.get(name)).filter((parameter) => parameter !== undefined);
      return {
        Parameters: found.map((parameter) => shown(parameter, withDecryption)),
        InvalidParameters: names.filter((name) => !store.get(name)),
      };
    }),
    DeleteParameter: operation(z.object({ Name }), async ({ Name: name }) => {
      if (!(await store.remove(name))) throw new AwsFault('ParameterNotFound', `there is no parameter ${name}`);
      return {};
    }),
    GetParametersByPath: operation(ByPath, (input) => {
      const after = input.NextToken ? Buffer.from(input.NextToken, 'base64url').toString() : '';
      const rest = store.below(input.Path, input.Recursive).filter(({ name }) => name > after);
      const page = rest.slice(0, input.MaxResults);
      const last = page.at(-1);
      return {
        Parameters: page.map((parameter) => shown(parameter, input.WithDecryption)),
        ...(last && rest.length > page.length && { NextToken: Buffer.from(last.name).toString('base64url') }),
      };
    }),
  };
  return awsJsonListener('SSM', '1.1', operations, logger);
}
