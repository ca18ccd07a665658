/** `States.Hash` as AWS computes it, also of texts that are longer than a block of the algorithm. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { MachineDefinition, RunRequest } from '../src/stepfunctions/asl-engine.ts';
import { compile } from '../src/stepfunctions/interpreter-engine.ts';

const names = { 'SHA-256': 'sha256', 'SHA-512': 'sha512', MD5: 'md5' } as const;
const machineOf = (algorithm: string, work: object): MachineDefinition =>
  ({
    StartAt: 'Work',
    States: { Work: { Type: 'Task', Resource: 'work', End: true, ...work }, [algorithm]: { Type: 'Succeed' } },
  }) as unknown as MachineDefinition;

async function givenTo(definition: MachineDefinition, text: string): Promise<unknown> {
  const context = { Execution: { Id: 'e', Name: 'e' }, StateMachine: { Id: 'm', Name: 'm' } };
  const request = {
    input: { text },
    context,
    onEvent: () => undefined,
    runTask: async ({ input }: { input: unknown }) => input,
  };
  const outcome = await compile('m', definition).run(request as unknown as RunRequest).outcome;
  return outcome.status === 'SUCCEEDED' ? outcome.output : outcome;
}

describe('States.Hash', () => {
  it.each(Object.entries(names))('%s of a text of any length is that of AWS', async (algorithm, name) => {
    const definition = machineOf(algorithm, {
      Parameters: { 'hash.$': `States.Hash($.text, '${algorithm}')`, kept: 1 },
    });
    for (const text of [
      '',
      'short',
      'a'.repeat(55),
      'a'.repeat(64),
      `${'name/'.repeat(80)}1`,
      `${'name/'.repeat(80)}2`,
    ])
      expect(await givenTo(definition, text)).toEqual({ hash: createHash(name).update(text).digest('hex'), kept: 1 });
  });

  it('a hash in any other place is refused at the start', () => {
    const inside = { Parameters: { one: { 'hash.$': "States.Hash($.text, 'MD5')" } } };
    expect(() => compile('m', machineOf('MD5', inside))).toThrow('States.Hash is run only as a field');
    const pass = machineOf('MD5', { Type: 'Pass', Parameters: { 'hash.$': "States.Hash($.text, 'MD5')" } });
    expect(() => compile('m', pass)).toThrow('States.Hash is run only as a field');
  });
});
