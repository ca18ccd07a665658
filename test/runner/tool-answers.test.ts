/** Tools that end with 0 and print something else than they should: a failure of the tool, in words for people. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StageError } from '#contracts/stage.ts';
import type { StagePlan } from '#domain/plan.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { kubectlWorld, nodesStage } from './kubectl-world.ts';
import { openRecordings, record, stateKey, world } from './recorded-terraform.ts';
import { aDocument } from './stage-world.ts';

const answers = {
  'text that is no JSON': '%%%garbage \u001b[31m\u202e%%%',
  nothing: '',
  'JSON that is cut': '{"values":{"root_module":{"resources":[{"address":"a-secret-of-the-state',
  'JSON of another form': '[{"items":7}]',
  'JSON with texts where lists should be': '{"items":"x","values":"x","nodes":"x","members":"x"}',
  'JSON that is nested without end': `${'{"values":{"root_module":{"child_modules":['}${'{"child_modules":['.repeat(20_000)}${']}'.repeat(20_000)}]}}}`,
};
type Answer = keyof typeof answers;
const kinds = Object.keys(answers) as Answer[];

function expectOfTool(error: StageError | undefined, tool: string): void {
  expect(error).toMatchObject({ class: 'transient', code: 'ToolAnswerUnreadable', retryable: true });
  expect(error?.message).toMatch(new RegExp(`^${tool}: `));
  expect(`${error?.message} ${error?.hint}`).not.toMatch(/fault of Kubeloom|SyntaxError|ZodError|RangeError|a-secret/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
  expect(error?.message).not.toMatch(/[\u0000-\u001f\u202e]/);
  expect(error?.message.length).toBeLessThan(1500);
}

describe('terraform', () => {
  beforeEach(openRecordings);
  afterEach(() => world.close());

  const machines = (destroy: boolean) =>
    aDocument([
      { stage: 'infrastructure', reasons: [], work: { workspaces: [{ kind: 'machines', name: 'hz-prod', destroy }] } },
    ]);

  it.each(kinds)('%s in place of the outputs is a failure of terraform', async (kind) => {
    await world.put(machines(false));
    record('output.out', answers[kind]);
    expectOfTool((await world.run('infrastructure')).error, 'terraform');
  });

  it.each(kinds)('%s in place of the state is a failure of terraform', async (kind) => {
    const [grow] = machines(false).stages;
    const orphaned = { ...grow, work: { ...grow?.work, orphan: ['control-aaaaaaa-01'] } } as StagePlan;
    await world.put(aDocument([orphaned], { direction: 'shrink', before: twoProviderState() }));
    record('show.out', answers[kind]);
    expectOfTool((await world.run('infrastructure')).error, 'terraform');
  });

  it.each(['plan', 'apply'])(
    'a %s that ends with 0 and without its summary changes no fact and no state',
    async (command) => {
      await world.put(
        aDocument(machines(true).stages, { direction: 'destroy', before: twoProviderState(), target: null }),
      );
      await world.ports.artifacts.putText(stateKey, '{}');
      record(`${command}.out`, '%%% no messages');
      if (command === 'plan') record('plan.code', '0');
      expectOfTool((await world.run('infrastructure')).error, 'terraform');
      expect(await world.ports.artifacts.getText(stateKey)).toBe('{}');
    },
  );
});

describe('kubectl', () => {
  it.each(kinds)('%s in place of the nodes is a failure of kubectl', async (kind) => {
    const shop = await kubectlWorld();
    shop.set('KUBELOOM_KUBECTL', shop.script('kubectl', `#!/bin/bash\ncat "${join(shop.directory, 'answer')}"\n`));
    writeFileSync(join(shop.directory, 'answer'), answers[kind]);
    await shop.put(aDocument([nodesStage(['workers-bbbbbbb-01'])], { before: twoProviderState() }));
    expectOfTool((await shop.run('nodes')).error, 'kubectl');
    shop.close();
  });
});

/** Texts that Kubeloom wrote, or whose reader words faults in its own way. */
const ownReaders = [
  'build-credentials.ts',
  'documents/prepare-documents.ts',
  'provider-check/check-request.ts',
  'provider-check/clouds/gcp.ts',
  'provider-check/main.ts',
  'run-stage.ts',
  'sim/injected-faults.ts',
  'sim/simulated-drift.ts',
  'stop-requests.ts',
  'terraform/cli/plugin-lock.ts',
  'terraform/templates/kept-copy.ts',
  'terraform/templates/provider-files.ts',
  'tool-answer.ts',
];

it('JSON of tools is read by one reader', () => {
  const runner = join(import.meta.dirname, '../../runner-images/runner');
  const files = readdirSync(runner, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const readers = files.filter((file) => /\bJSON\.parse\(/.test(readFileSync(join(runner, file), 'utf8')));
  expect(readers.toSorted()).toEqual(ownReaders);
});
