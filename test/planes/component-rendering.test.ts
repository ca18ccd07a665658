/** Files of releases as they are applied: variables, secrets, contracts, and instances in namespaces of their own. */
import { describe, expect, test } from 'vitest';
import type { ComponentState, DocumentState } from '#domain/cluster-documents.ts';
import type { KubernetesObject } from '#domain/kubernetes-objects.ts';
import { contractOf, worksWith } from '#domain/planes/contracts.ts';
import { renderComponent } from '#rendering/documents.ts';

const component: ComponentState = {
  kind: 'infrastructure',
  provider: 'infrastructure-demo',
  source: { url: 'https://releases.example/components.yaml', sha256: 'a'.repeat(64) },
};

function documentOf(change: Partial<ComponentState> = {}, values: Record<string, string> = {}): DocumentState {
  return {
    name: 'capi.infrastructure-demo',
    version: 'component@v1.0.0',
    values,
    component: { ...component, ...change },
  };
}

const settings = (lines: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, namespace: demo-system }\ndata:\n${lines}\n`;

function dataOf(lines: string, values: Record<string, string> = {}, secrets: Record<string, string> = {}): unknown {
  const [object] = renderComponent(documentOf({}, values), { text: settings(lines), secrets }).objects;
  return object?.data;
}

describe('variables of a component', () => {
  test.each([
    ['a value', '  a: ${A}', { A: 'x' }, { a: 'x' }],
    ['a default', '  a: ${A:=x}', {}, { a: 'x' }],
    ['a value in place of a default', '  a: ${A:=x}', { A: 'y' }, { a: 'y' }],
    ['a default with colons', '  a: "--address=${A:=:8443}"', {}, { a: '--address=:8443' }],
    ['a default for an empty value', '  a: x${A:=y}', { A: '' }, { a: 'xy' }],
    ['a default that is YAML', '  a: ${A:=""}', {}, { a: '' }],
    ['an empty value', '  a: x${A=y}', { A: '' }, { a: 'x' }],
    ['a number, where it is alone', '  a: ${A}', { A: '3' }, { a: 3 }],
    ['a number in quotes as text', '  a: "${A}"', { A: '3' }, { a: '3' }],
    ['several in one text', '  a: X=${A:=true},Y=${B:=false}', { B: 'true' }, { a: 'X=true,Y=true' }],
    [
      'a value with another start',
      '  ${A/#arn/example.com/role: arn}',
      { A: 'arn:x/y' },
      { 'example.com/role': 'arn:x/y' },
    ],
    ['a value without that start', '  a: ${A/#arn/role}', { A: 'x' }, { a: 'x' }],
    ['no value with another start', '  b: x\n  ${A/#arn/example.com/role: arn}', {}, { b: 'x' }],
    ['what is escaped', '  a: $${A}', {}, { a: '${A}' }],
    ['what is escaped and no variable', '  a: $${A:={}} $${{ b }}', {}, { a: '${A:={}} ${{ b }}' }],
  ])('%s is filled in as clusterctl does', (_, lines, values, data) => {
    expect(dataOf(lines, values as Record<string, string>)).toEqual(data);
  });

  test('a value cannot become anything else than the text where it is used', () => {
    const evil = 'x"\nb: { injected: true } # ${B} $& $1';
    expect(dataOf('  a: ${A}', { A: evil })).toEqual({ a: evil });
    expect(dataOf('  a: "${A}"', {}, { A: evil })).toEqual({ a: evil });
  });

  test('variables without value, values without use and unknown syntax are reported by name', () => {
    const render =
      (lines: string, values = {}) =>
      () =>
        dataOf(lines, values);
    expect(render('  a: ${A} ${B} ${A}')).toThrow('there is no value for ${A}, ${B}');
    expect(render('  a: x', { TYPO: '1' })).toThrow('the file has no variable TYPO');
    expect(render('  a: ${A^^}')).toThrow('${A^^} is not a variable');
    expect(render('  ${A/#x/y: x}', { A: 'x\nb: c' })).toThrow(
      'only a plain word can have another start: ${A/#x/y: x}',
    );
  });

  test.each(['${A:={}}', '${A:=${B:=c}}', '${A', '${ {{ x }} }'])(
    '%s is refused instead of being left in the text',
    (text) => {
      expect(() => dataOf(`  a: "${text}"`)).toThrow('is not a variable');
    },
  );

  test('a value that is no plain word is refused in the key of a map, where it could not be filled in', () => {
    expect(() => dataOf('  x-${A}: b', { A: 'two words' })).toThrow(
      'a secret, or a value that is no plain word, is in the key of a map (ConfigMap)',
    );
    expect(dataOf('  x-${A}: b', { A: 'word' })).toEqual({ 'x-word': 'b' });
  });

  test.each(['metadata: { name: "a-${A}" }', 'metadata: { name: a, namespace: "${A}" }'])(
    'CO-4: a secret in what an object is known by is refused: %s',
    (metadata) => {
      const text = `apiVersion: v1\nkind: ConfigMap\n${metadata}\n`;
      const render = (change: object) => () =>
        renderComponent(documentOf({}, {}), { text, secrets: {}, ...change }).objects;
      expect(render({ secrets: { A: 'correct-horse' } })).toThrow(
        'a secret is in the name, the namespace or the kind of an object (ConfigMap)',
      );
      expect(render({ secrets: { A: 'correct-horse' } })).not.toThrow('correct-horse');
    },
  );

  test('CO-4: a secret is in the objects, and not in what is hashed', () => {
    const text = settings('  a: user=${USER},password=${PASSWORD}');
    const { marked, objects } = renderComponent(documentOf({}, { USER: 'u' }), { text, secrets: { PASSWORD: '007' } });
    expect(objects[0]?.data).toEqual({ a: 'user=u,password=007' });
    expect(JSON.stringify(marked)).not.toContain('007');
    const other = renderComponent(documentOf({}, { USER: 'u' }), { text, secrets: { PASSWORD: '008' } });
    expect(other.marked).toEqual(marked);
  });
});

const release = `
apiVersion: v1
kind: Namespace
metadata: { name: demo-system, labels: { control-plane: manager } }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gardens.demo.example, annotations: { cert-manager.io/inject-ca-from: demo-system/serving-cert, cert-manager.io/inject-ca-from-secret: demo-system/ca } }
spec:
  group: demo.example
  conversion: { strategy: Webhook, webhook: { clientConfig: { caBundle: Cg==, service: { name: hook, namespace: demo-system } } } }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: demo-role }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: demo-binding }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: demo-role }
subjects: [{ kind: ServiceAccount, name: manager, namespace: demo-system }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: demo-view }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view }
subjects: [{ kind: ServiceAccount, name: manager, namespace: demo-system }]
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: { name: serving-cert, namespace: demo-system }
spec: { dnsNames: [hook.demo-system.svc, hook.demo-system.svc.cluster.local] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: manager, namespace: demo-system }
spec: { template: { spec: { containers: [{ name: manager, args: [--leader-elect, --namespace=] }, { name: proxy }] } } }
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: demo-hooks }
webhooks: [{ name: a, clientConfig: { service: { name: hook, namespace: demo-system } } }]
`;

function renderedAs(change: Partial<ComponentState>): readonly KubernetesObject[] {
  return renderComponent(documentOf(change), { text: release, secrets: {} }).objects;
}

describe('an instance of a provider', () => {
  test('CO-3: it is in a namespace of its own, with roles of its own, and works on one namespace', () => {
    const objects = renderedAs({ instance: 'east', watchNamespace: 'clusters-east' });
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''} ${metadata.name}`)).toEqual([
      'Namespace  demo-system-east',
      'CustomResourceDefinition  gardens.demo.example',
      'ClusterRole  demo-role-east',
      'ClusterRoleBinding  demo-binding-east',
      'ClusterRoleBinding  demo-view-east',
      'Certificate demo-system-east serving-cert',
      'Deployment demo-system-east manager',
      'ValidatingWebhookConfiguration  demo-hooks',
    ]);
    expect(objects[3]).toMatchObject({
      roleRef: { name: 'demo-role-east' },
      subjects: [{ name: 'manager', namespace: 'demo-system-east' }],
    });
    expect(objects[4]).toMatchObject({ roleRef: { name: 'view' } });
    expect(objects[1]).toMatchObject({
      metadata: {
        annotations: {
          'cert-manager.io/inject-ca-from': 'demo-system-east/serving-cert',
          'cert-manager.io/inject-ca-from-secret': 'demo-system-east/ca',
          'kubeloom.dev/release': 'infrastructure-demo@v1.0.0',
        },
      },
      spec: { conversion: { webhook: { clientConfig: { service: { namespace: 'demo-system-east' } } } } },
    });
    expect(objects[5]).toMatchObject({
      spec: { dnsNames: ['hook.demo-system-east.svc', 'hook.demo-system-east.svc.cluster.local'] },
    });
    expect(objects[6]).toMatchObject({
      spec: {
        template: {
          spec: { containers: [{ args: ['--leader-elect', '--namespace=clusters-east'] }, { name: 'proxy' }] },
        },
      },
    });
    expect(JSON.stringify(objects)).not.toMatch(/demo-system[^-]/);
  });

  test('CO-3: what the cluster has once is left out of all instances but one', () => {
    const kinds = renderedAs({ instance: 'west', shared: 'elsewhere' }).map(({ kind }) => kind);
    expect(kinds).not.toContain('CustomResourceDefinition');
    expect(kinds).not.toContain('ValidatingWebhookConfiguration');
    expect(kinds).toContain('Deployment');
  });

  test('a placeholder of certificates is left to cert-manager', () => {
    expect(JSON.stringify(renderedAs({}))).not.toContain('caBundle');
  });

  test('a file without one namespace or without a manager cannot be an instance', () => {
    const text = settings('  a: b');
    const render = (change: Partial<ComponentState>) => () =>
      renderComponent(documentOf(change), { text, secrets: {} });
    expect(render({ instance: 'a' })).toThrow('it has 0 namespaces');
    expect(render({ watchNamespace: 'a' })).toThrow('no Deployment with a container "manager"');
  });
});

describe('contracts of releases', () => {
  const metadata = {
    kind: 'Metadata',
    releaseSeries: [
      { major: 1, minor: 11, contract: 'v1beta2' },
      { major: 1, minor: 10, contract: 'v1beta1' },
    ],
  };

  test('CO-1: the contract is that of the series of the release', () => {
    expect(contractOf('v1.11.3', metadata)).toEqual({ contract: 'v1beta2' });
    expect(contractOf('v1.10.0-rc.0', metadata)).toEqual({ contract: 'v1beta1' });
    expect(contractOf('v1.12.0', metadata)).toEqual({ reason: 'its metadata knows v1.11, v1.10, but not v1.12' });
    expect(contractOf('v1.12.0', 'hello')).toMatchObject({ reason: expect.stringContaining('not the metadata.yaml') });
  });

  test('a core of v1beta2 works with v1beta1, and no other with another', () => {
    expect(worksWith('v1beta2', 'v1beta1')).toBe(true);
    expect(worksWith('v1beta1', 'v1beta2')).toBe(false);
    expect(worksWith('v1beta1', 'v1beta1')).toBe(true);
    expect(worksWith('v1beta1', 'v1alpha4')).toBe(false);
  });
});
