/** A control node that prepares the kubeconfig: nothing of it is kept, and nothing of it runs. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { world as drifting, kubectlLooks, look, openLooks } from '#test/drift/recorded-looks.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { twoProviderFacts } from '#test/rendering/states.ts';
import { kubeconfigKey, kubectlWorld, nodesStage } from '../kubectl-world.ts';
import { closeKubeOne, hosts, key, kubernetes, openKubeOne, recordings, world } from '../recorded-kubeone.ts';
import { aDocument } from '../stage-world.ts';

/** As kubectl understands it, `program` runs before anything is asked. */
const prepared = (program: string) =>
  kubeconfigTo().replace(
    '  user:\n',
    `  user:\n    exec: { apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: ${program} }\n`,
  );

describe('a kubeconfig that KubeOne brings from a control node', () => {
  beforeEach(openKubeOne);
  afterEach(closeKubeOne);
  const left = (text: string) => writeFileSync(`${recordings}.kubeconfig-left`, text);

  it('a file with a program is refused with the node and the key, and what was stored before stays', async () => {
    await world.ports.artifacts.putText(key, kubeconfigTo());
    left(prepared('/bin/sh'));
    const { error } = await world.run('kubernetes');
    expect(error).toMatchObject({
      class: 'user',
      code: 'KubeconfigRefused',
      resource: 'control-aaaaaaa-01',
      retryable: false,
      message:
        'The kubeconfig of cluster shop, from /etc/kubernetes/admin.conf of control-aaaaaaa-01, has users[0].user.exec, which is not accepted.',
    });
    expect(await world.ports.artifacts.getText(key)).toBe(kubeconfigTo());
    expect(JSON.stringify(error) + (await world.log('kubernetes'))).not.toContain('/bin/sh');
  });

  it('a file that is too large is read to its limit only', async () => {
    left(`# ${'x'.repeat(300_000)}\n${kubeconfigTo()}`);
    expect((await world.run('kubernetes')).error).toMatchObject({ code: 'KubeconfigRefused' });
    expect(await world.ports.artifacts.getText(key)).toBeUndefined();
  });

  it.each([
    'https://169.254.169.254:443',
    'https://127.0.0.1:9',
    'https://shop.example.com:6444',
    'https://shop.example.com',
  ])('a file that leads to %s is refused: the node does not choose where clients go', async (server) => {
    left(kubeconfigTo(server));
    const { error } = await world.run('kubernetes');
    expect(error).toMatchObject({ code: 'KubeconfigRefused' });
    expect(error?.message).toContain('which is not the API of the cluster: its addresses are ');
  });

  it('our file leads to the control node that is the endpoint, whatever the file says', async () => {
    const target = hosts.state({ apiEndpoint: { kind: 'node', node: 'control-aaaaaaa-01' } });
    await world.put(aDocument([kubernetes('apply')], { target }), hosts.facts);
    left(kubeconfigTo('https://169.254.169.254:443'));
    expect((await world.run('kubernetes')).error).toBeUndefined();
    expect(await world.ports.artifacts.getText(key)).toContain('server: https://127.0.0.1:6443\n');
  });
});

describe('a kubeconfig that was stored as it was found', () => {
  it('the nodes stage runs nothing of it: the file is refused before kubectl is called', async () => {
    const nodes = await kubectlWorld();
    const canary = join(nodes.directory, 'canary');
    await nodes.ports.artifacts.putText(kubeconfigKey, prepared(nodes.script('sh', `#!/bin/bash\ntouch ${canary}\n`)));
    await nodes.put(aDocument([nodesStage(['basement-01'])]), twoProviderFacts);
    expect((await nodes.run('nodes')).error).toMatchObject({
      class: 'user',
      code: 'KubeconfigRefused',
      message: 'The kubeconfig of cluster shop has users[0].user.exec, which is not accepted.',
    });
    expect([existsSync(canary), nodes.calls()]).toEqual([false, []]);
    nodes.close();
  });

  it('a check for drift runs nothing of it', async () => {
    await openLooks();
    await drifting.ports.artifacts.putText('kubeconfigs/team/shop/shop-1234567', prepared('/bin/sh'));
    const { unchecked } = await look();
    const words = 'KubeconfigRefused: The kubeconfig of cluster shop has users[0].user.exec, which is not accepted.';
    expect(new Set(unchecked.filter((one) => !one.includes('terraform')))).toEqual(new Set([words]));
    expect(kubectlLooks).toThrow('ENOENT');
    drifting.close();
  });
});

describe('what tools are given', () => {
  const ambient = {
    AWS_ACCESS_KEY_ID: 'AKIA-of-the-runner',
    AWS_SECRET_ACCESS_KEY: 'secret-of-the-runner',
    AWS_SESSION_TOKEN: 'token-of-the-runner',
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/of-the-runner',
    KUBECONFIG: '/root/.kube/of-the-runner',
    KUBECTL_EXTERNAL_DIFF: '/bin/of-the-runner',
  };
  const notes = (file: string) =>
    `#!/bin/bash\n{ env; echo "files: $(find "$PWD/.." -type f -printf '%P ')"; } > ${file}\n`;

  it('KubeOne gets the SSH keys of its own cluster, and no credentials of the runner', async () => {
    await openKubeOne();
    for (const [name, value] of Object.entries(ambient)) world.set(name, value);
    for (const path of ['ssh/team/shop/other-1234567/control-aaaaaaa', 'ssh/other/shop/shop-1234567/control-aaaaaaa'])
      await world.ports.secrets.put(path, { privatekey: 'of another cluster', publickey: '' });
    await world.ports.secrets.put('user/team/cloud', { token: 'of a cloud' });
    const asked: string[] = [];
    const { get } = world.ports.secrets;
    world.ports.secrets.get = (path) => {
      asked.push(path);
      return get.call(world.ports.secrets, path);
    };
    const seen = join(world.directory, 'seen');
    world.set('KUBELOOM_KUBEONE', world.script('kubeone-notes', notes(seen)));
    await world.run('kubernetes');
    expect(readFileSync(seen, 'utf8')).not.toContain('of-the-runner');
    expect(/^files: (.*)$/m.exec(readFileSync(seen, 'utf8'))?.[1]?.trim().split(' ').sort()).toEqual([
      'keys/basement-01.key',
      'keys/control-aaaaaaa.key',
      'keys/workers-bbbbbbb.key',
      'kubeone/kubeone.yaml',
    ]);
    expect([...new Set(asked)].sort()).toEqual([
      'ssh/team/shop/shop-1234567/control-aaaaaaa',
      'ssh/team/shop/shop-1234567/workers-bbbbbbb',
      'user/team/basement-key',
    ]);
    await closeKubeOne();
  });

  it('kubectl gets our kubeconfig by name, a home of its own, and no credentials of the runner', async () => {
    const nodes = await kubectlWorld();
    for (const [name, value] of Object.entries(ambient)) nodes.set(name, value);
    const seen = join(nodes.directory, 'seen');
    const fake = `#!/bin/bash\n{ env; echo "first: $1"; cat "\${1#--kubeconfig=}"; } > ${seen}\nexit 1\n`;
    nodes.set('KUBELOOM_KUBECTL', nodes.script('kubectl-notes', fake));
    await nodes.put(aDocument([nodesStage(['basement-01'])]), twoProviderFacts);
    await nodes.run('nodes');
    const text = readFileSync(seen, 'utf8');
    expect(text).not.toContain('of-the-runner');
    const [, file = ''] = /^first: --kubeconfig=(.*)$/m.exec(text) ?? [];
    expect(/^HOME=(.*)$/m.exec(text)?.[1]).toBe(join(file, '..'));
    expect(text).toContain('KUBERC=off');
    expect(text).toContain('current-context: shop');
    nodes.close();
  });
});
