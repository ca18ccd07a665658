/**
 * The fields of `kubeone.yaml` in v1beta2 and their types, as KubeOne 1.14 reads them: a field that it does not know is
 * refused, null is the same as absent. Read from the Go types of its releases; `npm run conformance` compares with them.
 */
import { z } from 'zod';

const text = z.string().optional();
const flag = z.boolean().optional();
const whole = z.int().optional();
const texts = z.array(z.string()).optional();
const textMap = z.record(z.string(), z.string()).optional();
const anything = z.unknown().optional();
const nothing = z.strictObject({}).optional();

/** Every field optional, as in Go; fields with other names are refused. */
function fields<Shape extends z.ZodRawShape>(shape: Shape): z.ZodOptional<z.ZodObject<Shape, z.core.$strict>> {
  return z.strictObject(shape).optional();
}

const taints = z.array(z.strictObject({ key: text, value: text, effect: text, timeAdded: text })).optional();

const kubelet = fields({
  systemReserved: textMap,
  kubeReserved: textMap,
  evictionHard: textMap,
  maxPods: whole,
  imageGCHighThresholdPercent: whole,
  imageGCLowThresholdPercent: whole,
  imageMinimumGCAge: text,
  imageMaximumGCAge: text,
});

const bastion = { bastion: text, bastionPort: whole, bastionUser: text, bastionHostPublicKey: text };

export const Host = z.strictObject({
  publicAddress: text,
  ipv6Addresses: texts,
  privateAddress: text,
  sshPort: whole,
  sshUsername: text,
  sshPrivateKeyFile: text,
  sshCertFile: text,
  sshHostPublicKey: text,
  sshAgentSocket: text,
  ...bastion,
  bastionPrivateKeyFile: text,
  hostname: text,
  isLeader: flag,
  taints,
  labels: textMap,
  annotations: textMap,
  kubelet,
  operatingSystem: text,
});
export type Host = z.infer<typeof Host>;

const nodeSet = z.strictObject({
  name: text,
  replicas: whole,
  generation: whole,
  nodeSettings: fields({ labels: textMap, annotations: textMap, taints }),
  operatingSystem: text,
  operatingSystemSpec: fields({ distUpgradeOnBoot: flag }),
  ssh: fields({
    publicKeys: texts,
    port: whole,
    username: text,
    privateKeyFile: text,
    certFile: text,
    hostPublicKey: text,
    agentSocket: text,
    ...bastion,
  }),
  cloudProviderSpec: anything,
});

const cloudProvider = fields({
  external: flag,
  disableBundledCSIDrivers: flag,
  cloudConfig: text,
  csiConfig: text,
  secretProviderClassName: text,
  aws: nothing,
  azure: nothing,
  digitalocean: nothing,
  gce: nothing,
  hetzner: fields({ networkID: text, controlPlane: anything }),
  kubevirt: fields({
    infraNamespace: text,
    zoneAndRegionEnabled: flag,
    loadBalancerEnabled: flag,
    controlPlane: anything,
  }),
  nutanix: nothing,
  openstack: fields({ controlPlane: anything }),
  equinixmetal: nothing,
  vmwareCloudDirector: fields({ vApp: text, storageProfile: text }),
  vsphere: nothing,
  none: nothing,
});

const clusterNetwork = fields({
  podSubnet: text,
  podSubnetIPv6: text,
  serviceSubnet: text,
  serviceSubnetIPv6: text,
  serviceDomainName: text,
  nodePortRange: text,
  cni: fields({
    canal: fields({ mtu: whole }),
    cilium: fields({
      kubeProxyReplacement: text,
      enableHubble: flag,
      enableL2Announcements: flag,
      enableGatewayAPI: flag,
      enableLocalRedirectPolicy: flag,
    }),
    weaveNet: fields({ encrypted: flag }),
    external: nothing,
  }),
  kubeProxy: fields({
    skipInstallation: flag,
    ipvs: fields({
      scheduler: text,
      excludeCIDRs: texts,
      strictARP: flag,
      tcpTimeout: text,
      tcpFinTimeout: text,
      udpTimeout: text,
    }),
    iptables: nothing,
  }),
  ipFamily: text,
  nodeCIDRMaskSizeIPv4: whole,
  nodeCIDRMaskSizeIPv6: whole,
});

const registry = z.strictObject({
  mirrors: texts,
  overridePath: flag,
  tlsConfig: fields({ insecureSkipVerify: flag }),
  auth: fields({ username: text, password: text, auth: text, identityToken: text }),
});

const enabled = fields({ enable: flag });
const features = fields({
  coreDNS: fields({ replicas: whole, deployPodDisruptionBudget: flag, imageRepository: text }),
  alwaysPullImages: enabled,
  eventRateLimit: fields({ enable: flag, config: fields({ configFilePath: text }) }),
  podNodeSelector: fields({ enable: flag, config: fields({ configFilePath: text }) }),
  podSecurityPolicy: enabled,
  staticAuditLog: fields({
    enable: flag,
    config: fields({ policyFilePath: text, logPath: text, logMaxAge: whole, logMaxBackup: whole, logMaxSize: whole }),
  }),
  dynamicAuditLog: enabled,
  metricsServer: enabled,
  openidConnect: fields({
    enable: flag,
    config: fields({
      issuerUrl: text,
      clientId: text,
      usernameClaim: text,
      usernamePrefix: text,
      groupsClaim: text,
      groupsPrefix: text,
      requiredClaim: text,
      signingAlgs: text,
      caFile: text,
    }),
  }),
  encryptionProviders: fields({ enable: flag, customEncryptionConfiguration: text }),
  nodeLocalDNS: fields({ deploy: flag }),
});

const component = fields({ flags: textMap, featureGates: z.record(z.string(), z.boolean()).optional() });

export const KubeOneV1beta2 = z.strictObject({
  apiVersion: z.string(),
  kind: z.string(),
  name: text,
  controlPlane: fields({ hosts: z.array(Host).optional(), nodeSets: z.array(nodeSet).optional() }),
  kubeletConfig: kubelet,
  apiEndpoint: fields({ host: text, port: whole, alternativeNames: texts }),
  cloudProvider,
  versions: fields({ kubernetes: text }),
  containerRuntime: fields({
    docker: fields({ registryMirrors: texts }),
    containerd: fields({
      registries: z.record(z.string(), registry).optional(),
      deviceOwnershipFromSecurityContext: flag,
      sandboxImage: text,
    }),
  }),
  clusterNetwork,
  proxy: fields({ http: text, https: text, noProxy: text }),
  staticWorkers: fields({ hosts: z.array(Host).optional() }),
  dynamicWorkers: z.array(z.looseObject({ name: text, replicas: whole })).optional(),
  machineController: fields({ deploy: flag }),
  operatingSystemManager: fields({ deploy: flag, enableNonRootDeviceOwnership: flag }),
  caBundle: text,
  certificateAuthority: fields({
    bundle: text,
    file: text,
    certificateValidityPeriod: text,
    caCertificateValidityPeriod: text,
  }),
  features,
  addons: fields({
    enable: flag,
    path: text,
    globalParams: textMap,
    addons: z.array(z.strictObject({ name: text, params: textMap, disableTemplating: flag, delete: flag })).optional(),
  }),
  helmReleases: z.array(z.looseObject({ chart: text, namespace: text })).optional(),
  systemPackages: fields({ configureRepositories: flag }),
  registryConfiguration: fields({ overwriteRegistry: text, insecureRegistry: flag }),
  loggingConfig: fields({ containerLogMaxSize: text, containerLogMaxFiles: whole }),
  tlsCipherSuites: fields({ apiServer: texts, etcd: texts, kubelet: texts }),
  controlPlaneComponents: fields({
    controllerManager: component,
    scheduler: component,
    apiServer: component,
    etcd: fields({ quotaBackendBytes: whole, autoCompactionRetention: text, autoCompactionMode: text }),
  }),
});
export type KubeOneV1beta2 = z.infer<typeof KubeOneV1beta2>;
