import { describe, expect, it } from 'vitest';
import { parseDocuments } from '#documents/parse-documents.ts';
import { readObjects } from '#documents/read-objects.ts';
import { validateDocuments } from '#domain/documents/validate-documents.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { manifestWith } from './manifest-files.ts';

const brief = (faults: readonly { path: string; reason: string }[]) =>
  faults.map(({ path, reason }) => `${path}: ${reason}`);

const cloudManifest = manifestWith((spec) => {
  spec.providers.push({
    name: 'aws-1',
    providerType: 'aws',
    secretRef: { name: 'aws', namespace: 'team' },
    templatesRef: { name: 'own' },
  });
  spec.nodePools.static.push({
    name: 'metal',
    nodes: [{ endpoint: '2001:db8::1', username: 'root', secretRef: { name: 'key', namespace: 'team' } }],
    labels: {},
    annotations: {},
    taints: [],
    protect: false,
    maxUnavailable: 1,
    sshPort: 22,
  });
  spec.kubernetes.clusters[0]?.pools.compute.push('metal');
});

describe('references of a manifest', () => {
  it('references are not checked when their targets are not known', () => {
    expect(validateManifest(cloudManifest, { readObjects }).faults).toEqual([]);
  });

  it('missing Secrets, templates and provider types, and machines of other manifests, are faults', () => {
    const { faults, manifest } = validateManifest(cloudManifest, {
      readObjects,
      providerTypes: ['sim', 'local'],
      secrets: new Set(['default/aws']),
      templateReferences: new Set(['team/own']),
      endpointsInUse: new Map([['2001:db8::1', 'default/other']]),
    });

    expect(manifest).toBeUndefined();
    expect(brief(faults)).toEqual([
      'spec.providers[1].providerType: this installation cannot build "aws"',
      'spec.providers[1].secretRef: there is no Secret "team/aws"',
      'spec.providers[1].templatesRef: there is no TemplateGitReference "default/own"',
      'spec.nodePools.static[0].nodes[0].endpoint: "2001:db8::1" is a node of the manifest "default/other"',
      'spec.nodePools.static[0].nodes[0].secretRef: there is no Secret "team/key"',
    ]);
  });

  it('a type that needs no Secret is accepted without one, but a named Secret must exist', () => {
    const localWith = (provider: object) =>
      manifestWith((spec) => {
        for (const one of spec.providers) Object.assign(one, { providerType: 'local', ...provider });
      });
    const judged = (document: unknown) => brief(validateManifest(document, { readObjects, secrets: new Set() }).faults);
    expect(judged(localWith({}))).toEqual([]);
    expect(judged(localWith({ secretRef: { name: 'rack', namespace: 'team' } }))).toEqual([
      'spec.providers[0].secretRef: there is no Secret "team/rack"',
    ]);
  });

  it('references to documents of the same set are accepted', () => {
    const secret = (name: string, stringData: Record<string, string>) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'team' },
      stringData,
    });
    const [templates] = parseDocuments(
      '{apiVersion: kubeloom.dev/v1, kind: TemplateGitReference, metadata: {name: own}, spec: {endpoint: {url: git.example.com/a/b, protocol: https}, auth: {secretRef: {name: token, namespace: team}}, commit: v1, paths: {terraformer: t}}}',
    ).documents;
    const aws = secret('aws', { accesskey: 'A'.repeat(20), secretkey: 'b'.repeat(40) });
    const context = { readObjects, secrets: new Set(['team/key']), templateReferences: new Set<string>() };

    const alone = validateDocuments([cloudManifest, templates, aws], context);
    const whole = validateDocuments([cloudManifest, templates, aws, secret('token', { user: 'x' })], context);

    expect(alone.map(({ faults }) => brief(faults))).toEqual([
      [],
      ['spec.auth.secretRef: there is no Secret "team/token"'],
      [],
    ]);
    expect(whole.map(({ faults }) => brief(faults))).toEqual([
      [],
      [],
      [],
      ['stringData.token: is missing, a private git repository needs it'],
    ]);
  });
});

describe('warnings', () => {
  const warningsOf = (changes: Parameters<typeof manifestWith>[0]) => {
    const { manifest, faults, warnings } = validateManifest(manifestWith(changes), { readObjects });
    expect(faults).toEqual([]);
    expect(manifest).toBeDefined();
    return brief(warnings);
  };
  const pool = (spec: Parameters<NonNullable<Parameters<typeof manifestWith>[0]>>[0], name: string) =>
    spec.nodePools.dynamic.filter((entry) => entry.name === name);

  it('a sound manifest has no warnings', () => {
    expect(warningsOf(() => {})).toEqual([]);
  });

  it.each([
    [1, 'the cluster has a single control node: if it is lost, the cluster is lost'],
    [4, 'the cluster has 4 control nodes: an even number survives no more losses than 3 would'],
  ])('a cluster with %i control nodes gets a warning', (count, reason) => {
    const warnings = warningsOf((spec) => {
      for (const control of pool(spec, 'control')) control.count = count;
    });

    expect(warnings).toEqual([`spec.kubernetes.clusters[0].pools.control: ${reason}`]);
  });

  it.each([
    [1, ['the cluster has a single control node: if it is lost, the cluster is lost']],
    [2, ['the cluster has 2 control nodes: an even number survives no more losses than 1 would']],
    [3, []],
  ])(
    'an autoscaled control pool from %i nodes on is not scaled, and is advised as its smallest size',
    (min, reasons) => {
      const warnings = warningsOf((spec) => {
        for (const control of pool(spec, 'control'))
          Object.assign(control, { count: undefined, autoscaler: { min, max: 7 } });
      });

      expect(warnings).toEqual([
        `spec.nodePools.dynamic[0].autoscaler: nothing scales control nodes automatically: a new pool starts with ${min === 1 ? '1 node' : `${min} nodes`}`,
        ...reasons.map((reason) => `spec.kubernetes.clusters[0].pools.control: ${reason}`),
      ]);
    },
  );

  it('an autoscaled pool of the API load balancer gets the warnings of its smallest size', () => {
    const warnings = warningsOf((spec) => {
      for (const balancer of pool(spec, 'balancer'))
        Object.assign(balancer, { count: undefined, autoscaler: { min: 1, max: 3 } });
    });

    expect(warnings).toEqual([
      'spec.nodePools.dynamic[2].autoscaler: nothing scales nodes of load balancers automatically: a new pool starts with 1 node',
      'spec.loadBalancers.clusters[0].pools: the load balancer of the Kubernetes API is a single node: if it is lost, the API cannot be reached',
    ]);
  });

  it('the disk of a load balancer that the stored document has by default gets no warning', () => {
    const warnings = warningsOf((spec) => {
      for (const balancer of pool(spec, 'balancer')) Object.assign(balancer, { storageDiskSize: 50 });
    });
    expect(warnings.filter((warning) => warning.includes('storageDiskSize'))).toEqual([]);
  });

  it('a single API load balancer node, and its disk, get warnings', () => {
    const warnings = warningsOf((spec) => {
      for (const balancer of pool(spec, 'balancer')) Object.assign(balancer, { count: 1, storageDiskSize: 60 });
    });

    expect(warnings).toEqual([
      'spec.nodePools.dynamic[2].storageDiskSize: only load balancers use "balancer", they have no storage disk',
      'spec.loadBalancers.clusters[0].pools: the load balancer of the Kubernetes API is a single node: if it is lost, the API cannot be reached',
    ]);
  });

  it('an API load balancer that is far from the control nodes gets a warning', () => {
    const warnings = warningsOf((spec) => {
      spec.providers.push({
        name: 'aws-1',
        providerType: 'aws',
        secretRef: { name: 'a', namespace: 'b' },
        templatesRef: { name: 'claudie-default-templates' },
      });
      for (const control of pool(spec, 'control')) control.providerSpec = { name: 'aws-1', region: 'eu-west-1' };
      for (const balancer of pool(spec, 'balancer')) balancer.providerSpec = { name: 'aws-1', region: 'us-east-1' };
    });

    expect(warnings).toEqual([
      'spec.loadBalancers.clusters[0].pools: the load balancer of the Kubernetes API is in aws us-east-1, the control nodes are in aws eu-west-1',
    ]);
  });

  it('ignored labels, double taints, a public network, unused roles and no compute get warnings', () => {
    const warnings = warningsOf((spec) => {
      for (const control of pool(spec, 'control')) {
        control.labels['claudie.io/nodepool'] = 'mine';
        control.taints.push({ key: 'a', effect: 'NoExecute' }, { key: 'a', effect: 'NoExecute' });
      }
      spec.nodePools.dynamic.splice(1, 1);
      for (const cluster of spec.kubernetes.clusters) {
        cluster.network = '198.51.100.0/24';
        cluster.pools.compute = [];
      }
      for (const role of spec.loadBalancers.roles.slice(0, 1)) {
        spec.loadBalancers.roles.push({ ...role, name: 'idle', port: 80, targetPort: 80 });
      }
    });

    expect(warnings).toEqual([
      'spec.nodePools.dynamic[0].labels["claudie.io/nodepool"]: Kubeloom sets this label, and your value is ignored',
      'spec.nodePools.dynamic[0].taints[1]: the taint is listed twice',
      'spec.kubernetes.clusters[0].network: 198.51.100.0/24 is not a private network: nodes will not reach the real owners of these addresses',
      'spec.kubernetes.clusters[0].pools.compute: the cluster has no compute pool, so no ordinary pod will run',
      'spec.loadBalancers.roles[1].name: no load balancer has the role "idle"',
    ]);
  });
});
