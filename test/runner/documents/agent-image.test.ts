/** A site whose registry has Node under another name than our templates. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentProgram, builtinDocument } from '#domain/cluster-documents.ts';
import { prepareDocuments } from '#runner/documents/prepare-documents.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { aDocument, stageWorld } from '../stage-world.ts';

test.each([undefined, 'docker.io/library/node:of-the-site'])(
  'pods of agents have the image %s where the runner names it',
  async (image) => {
    const world = stageWorld();
    try {
      const template = 'kubernetes/kubeloom-agent/agent.yaml';
      world.file(template, readFileSync(new URL(`../../../templates/${template}`, import.meta.url), 'utf8'));
      writeFileSync(join(world.directory, agentProgram), 'the program');
      world.set('KUBELOOM_DOCUMENTS', world.directory);
      if (image !== undefined) world.set('KUBELOOM_AGENT_IMAGE', image);
      const values = {
        api: 'https://kubeloom.example',
        ca: '',
        proxy: '',
        noProxy: '',
        cloud: [],
        acting: [],
        notices: '',
      };
      const document = builtinDocument('kubeloom-agent', values);
      const target = twoProviderState({ documents: [document] });
      const work = { patch: [], remove: [], maxUnavailable: 1, documents: [] };
      await world.put(
        aDocument([{ stage: 'nodes', reasons: [], work }], { direction: 'settle', before: target, target }),
      );
      const images: string[] = [];
      const result = await world.run('nodes', {
        tool: async (context) => {
          const [prepared] = await prepareDocuments(context, [document]);
          images.push(
            ...JSON.stringify(prepared?.objects)
              .matchAll(/"image":"([^"]+)"/g)
              .map(([, name = '']) => name),
          );
          return {};
        },
      });
      expect(result).toMatchObject({ ok: true });
      expect(images).toHaveLength(1);
      if (image === undefined)
        expect(images[0]).toMatch(/^docker\.io\/library\/node:[\d.]+-[\w-]+@sha256:[0-9a-f]{64}$/);
      else expect(images).toEqual([image]);
    } finally {
      world.close();
    }
  },
);
