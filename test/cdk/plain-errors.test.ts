/** The short form of the errors of a service is the same as the long one. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { expect, it } from 'vitest';
import { plainErrors, withoutBallast } from '../../runner-images/bundle-ballast.ts';

type Errors = Readonly<Record<string, new (options: object) => Error>>;
const { resolve } = createRequire(import.meta.url);

async function errorsOf(
  service: string,
  plugins: Plugin[],
): Promise<{ readonly text: string; readonly errors: Errors }> {
  const folder = join(dirname(dirname(resolve(`@aws-sdk/client-${service}`))), 'dist-es/models');
  const { outputFiles } = await build({
    stdin: { contents: "export * from './errors.js';", resolveDir: folder },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    plugins,
  });
  const text = outputFiles[0]?.text ?? '';
  return { text, errors: (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as Errors };
}

it.each(['ssm', 'dynamodb', 'sfn', 's3'])(
  'the errors of %s keep their names, ids and fields in a bundle',
  async (service) => {
    const [long, short] = await Promise.all([
      errorsOf(service, []),
      errorsOf(service, [withoutBallast([plainErrors])]),
    ]);
    expect(Object.keys(short.errors)).toEqual(Object.keys(long.errors));
    expect(short.text.length).toBeLessThan(long.text.length);
    const given = { message: 'm', $metadata: { requestId: 'r' }, Message: 'M', Item: { a: 1 }, ParameterName: 'p' };
    for (const [name, Short] of Object.entries(short.errors)) {
      const Long = long.errors[name];
      if (Long === undefined) throw new Error(`there is no ${name}`);
      const [one, other] = [new Short(given), new Long(given)];
      expect(one).toBeInstanceOf(Short);
      expect({ ...one, name: one.name, message: one.message }).toEqual({
        ...other,
        name: other.name,
        message: other.message,
      });
      expect(Reflect.get(Short, 'shapeId')).toBe(Reflect.get(Long, 'shapeId'));
    }
  },
);
