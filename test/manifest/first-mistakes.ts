/** Mistakes of first manifests: what is written, where it is found, in which words, and why an editor cannot know it. */

export const firstManifest = `apiVersion: kubeloom.dev/v1
kind: InputManifest
metadata:
  name: shop
spec:
  providers:
    - name: cloud
      providerType: hetzner
      secretRef: { name: cloud, namespace: team }
  nodePools:
    dynamic:
      - name: control
        providerSpec: { name: cloud, region: fsn1 }
        count: 3
        serverType: cpx22
        image: ubuntu-24.04
      - name: compute
        providerSpec: { name: cloud, region: fsn1 }
        count: 2
        serverType: cpx22
        image: ubuntu-24.04
    static:
      - name: rack
        nodes:
          - endpoint: 203.0.113.7
            secretRef: { name: key, namespace: team }
  kubernetes:
    clusters:
      - name: shop
        version: "1.35.0"
        network: 192.168.2.0/24
        installationProxy: { mode: "off" }
        pools:
          control: [control]
          compute: [compute, rack]
`;

export interface Mistake {
  /** Text of the good manifest, and what is written instead. */
  readonly instead: readonly (readonly [good: string, bad: string])[];
  readonly line: number;
  /** Severity, and a part of the reason or fix. */
  readonly says: readonly ['error' | 'warning', string];
  /** Why no schema can know it; undefined: editors refuse it. */
  readonly beyondSchema?: string;
}

const list = 'it is in a list of the cloud, and lists age';
const between = 'it is a rule between fields';
const lastType = 'serverType: cpx22\n        image: ubuntu-24.04\n    static';
const lastTypeAs = (type: string, image: string) => `serverType: ${type}\n        image: ${image}\n    static`;
const aws = [
  ['providerType: hetzner', 'providerType: aws'],
  [
    'region: fsn1 }\n        count: 3\n        serverType: cpx22\n        image: ubuntu-24.04',
    'region: eu-central-1 }\n        count: 3\n        serverType: m7i.large\n        image: ami-0123456789abcdef0',
  ],
] as const;
const awsCompute = (place: string, type = 'm7i.large', image = 'ami-0123456789abcdef0') =>
  [
    ...aws,
    ['region: fsn1 }\n        count: 2', `${place} }\n        count: 2`],
    [lastType, lastTypeAs(type, image)],
  ] as const;

export const mistakes: Readonly<Record<string, Mistake>> = {
  'a region that does not exist': {
    instead: [['region: fsn1 }\n        count: 2', 'region: fsn9 }\n        count: 2']],
    line: 18,
    says: ['warning', 'did you mean fsn1?'],
    beyondSchema: list,
  },
  'a server type that does not exist': {
    instead: [[lastType, lastTypeAs('cpx222', 'ubuntu-24.04')]],
    line: 20,
    says: ['warning', 'did you mean cpx22?'],
    beyondSchema: list,
  },
  'an image without updates': {
    instead: [[lastType, lastTypeAs('cpx22', 'ubuntu-18.04')]],
    line: 21,
    says: ['warning', 'use ubuntu-24.04'],
    beyondSchema: list,
  },
  'an image of another cloud': {
    instead: awsCompute('region: eu-central-1', 'm7i.large', 'ubuntu'),
    line: 21,
    says: ['warning', 'the id of an AMI'],
    beyondSchema: between,
  },
  'a placeholder': {
    instead: [['region: fsn1 }\n        count: 2', 'region: REPLACE-ME }\n        count: 2']],
    line: 18,
    says: ['error', 'is a placeholder'],
    beyondSchema: 'any text is a region somewhere',
  },
  'a version as a number': { instead: [['"1.35.0"', '1.35']], line: 30, says: ['error', 'put it in quotes'] },
  'a version that is not built': {
    instead: [['1.35.0', '1.27.3']],
    line: 30,
    says: ['error', 'use one of 1.32.x'],
    beyondSchema: 'versions change with each release',
  },
  'a network that is too small': {
    instead: [['192.168.2.0/24', '192.168.2.0/30']],
    line: 31,
    says: ['error', 'use a larger network'],
    beyondSchema: between,
  },
  'a network of the pods': {
    instead: [['192.168.2.0/24', '10.244.0.0/16']],
    line: 31,
    says: ['error', 'the network of the pods'],
    beyondSchema: 'arithmetic on networks',
  },
  'a misspelt field': { instead: [['count: 2', 'cuont: 2']], line: 19, says: ['error', 'did you mean count?'] },
  'a pool that does not exist': {
    instead: [['[compute, rack]', '[comptue, rack, compute]']],
    line: 35,
    says: ['error', 'did you mean "compute"?'],
    beyondSchema: between,
  },
  'a provider that does not exist': {
    instead: [['{ name: cloud, region: fsn1 }\n        count: 2', '{ name: clod, region: fsn1 }\n        count: 2']],
    line: 18,
    says: ['error', 'did you mean "cloud"?'],
    beyondSchema: between,
  },
  'a provider type that does not exist': {
    instead: [['providerType: hetzner', 'providerType: hetzer']],
    line: 8,
    says: ['error', 'did you mean hetzner?'],
  },
  'no secret': {
    instead: [['      secretRef: { name: cloud, namespace: team }\n', '']],
    line: 7,
    says: ['error', 'name the Secret'],
    beyondSchema: between,
  },
  'a negative count': { instead: [['count: 2', 'count: -2']], line: 19, says: ['error', 'is negative'] },
  'count and autoscaler': {
    instead: [['count: 2', 'count: 2\n        autoscaler: { min: 1, max: 2 }']],
    line: 19,
    says: ['error', 'keep one of the two'],
    beyondSchema: between,
  },
  'bounds the wrong way': {
    instead: [['count: 2', 'autoscaler: { min: 5, max: 2 }']],
    line: 19,
    says: ['error', 'swap them'],
    beyondSchema: between,
  },
  'spot machines for the control plane': {
    instead: [...aws, ['count: 3', 'count: 3\n        spot: true']],
    line: 35,
    says: ['error', 'use a pool without spot'],
    beyondSchema: between,
  },
  'two control nodes': {
    instead: [['count: 3', 'count: 2']],
    line: 34,
    says: ['warning', 'use 3'],
    beyondSchema: 'it is valid, but unwise',
  },
  'a name with capitals': {
    instead: [['- name: shop\n        version', '- name: Shop\n        version']],
    line: 29,
    says: ['error', 'for example "shop"'],
  },
  'a small disk': {
    instead: [['count: 2', 'count: 2\n        storageDiskSize: 20']],
    line: 20,
    says: ['error', 'at least 50'],
  },
  'a disk with a digit too many': {
    instead: [['count: 2', 'count: 2\n        storageDiskSize: 50000']],
    line: 20,
    says: ['error', 'write 10240 or less'],
    beyondSchema: between,
  },
  'a machine by its name': {
    instead: [['203.0.113.7', 'rack-1.example.com']],
    line: 25,
    says: ['error', 'give the address of the machine'],
  },
  'a loopback address': { instead: [['203.0.113.7', '127.0.0.1']], line: 25, says: ['error', 'loopback'] },
  'the address of a metadata service': {
    instead: [['203.0.113.7', '169.254.169.254']],
    line: 25,
    says: ['error', 'link-local'],
  },
  'an address of pods': {
    instead: [['203.0.113.7', '10.244.3.4']],
    line: 25,
    says: ['error', 'the network of the pods'],
    beyondSchema: 'machine groups have no pods',
  },
  'a proxy without its scheme': {
    instead: [['{ mode: "off" }', '{ mode: "on", endpoint: "proxy.example:3128" }']],
    line: 32,
    says: ['error', 'write "http://proxy.example:3128"'],
  },
  'an autoscaled control pool': {
    instead: [['count: 3', 'autoscaler: { min: 1, max: 3 }']],
    line: 14,
    says: ['warning', 'nothing scales control nodes automatically'],
    beyondSchema: between,
  },
  'a zone of another region of AWS': {
    instead: awsCompute('region: eu-north-1, zone: us-east-1a'),
    line: 18,
    says: ['error', 'is not a zone of the region "eu-north-1"'],
    beyondSchema: between,
  },
  'a server type with a blank': {
    instead: [[lastType, lastTypeAs('" cpx22"', 'ubuntu-24.04')]],
    line: 20,
    says: ['error', 'write "cpx22"'],
  },
  'a server type with capitals': {
    instead: awsCompute('region: eu-central-1', 'M7i.large'),
    line: 20,
    says: ['error', 'write m7i.large'],
    beyondSchema: between,
  },
  'an image with a line break': {
    instead: [[lastType, lastTypeAs('cpx22', '"ubuntu-24.04\\n"')]],
    line: 21,
    says: ['error', 'invisible character'],
  },
  'taints as a map': {
    instead: [['count: 2', 'count: 2\n        taints: { key1: "value1:NoSchedule" }']],
    line: 20,
    says: ['error', 'write `taints: [{ key: "key1"'],
  },
  'inline templates': {
    instead: [
      [
        'providerType: hetzner',
        'providerType: hetzner\n      templates: { repository: "https://git.example.com/a/b" }',
      ],
    ],
    line: 9,
    says: ['error', 'remove it'],
  },
  'a cloud that is a plugin': {
    instead: [['providerType: hetzner', 'providerType: vastai']],
    line: 8,
    says: ['error', 'providerType: plugin'],
  },
};
