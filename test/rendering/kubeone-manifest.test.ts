/** `kubeone.yaml`. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { KubernetesOptions } from '#domain/kubernetes-options.ts';
import { apiAddress, renderKubeOneManifest } from '#rendering/kubeone-manifest.ts';
import { twoProviderFacts, twoProviderState } from './states.ts';

const facts = twoProviderFacts;
const render = (state = twoProviderState()) => renderKubeOneManifest({ state, facts, keyDirectory: '/work/keys' });

describe('KubeOne manifest', () => {
  it('the KubeOne manifest describes the whole cluster with its load balancer', async () => {
    await expect(render()).toMatchFileSnapshot('golden/kubeone.yaml');
  });

  it('the endpoint node is the leader when no load balancer serves the API', () => {
    const manifest = parse(render(twoProviderState({ apiEndpoint: { kind: 'node', node: 'control-aaaaaaa-02' } })));
    expect(manifest.apiEndpoint.host).toBe('198.51.100.2');
    const hosts: { hostname: string; isLeader: boolean }[] = manifest.controlPlane.hosts;
    expect(hosts.filter(({ isLeader }) => isLeader).map(({ hostname }) => hostname)).toEqual(['control-aaaaaaa-02']);
  });

  it('the KubeOne manifest has each API name once, and never its host among the alternatives', () => {
    const { apiEndpoint } = parse(render());
    expect(apiEndpoint.alternativeNames).toEqual(['www.example.com', '198.51.100.1', '198.51.100.2']);
  });

  it('alternative names are in the domain of the endpoint, even if a cloud names the zone otherwise', () => {
    const state = twoProviderState();
    const [front] = state.loadBalancers;
    const named = { ...state, loadBalancers: front ? [{ ...front, dns: { ...front.dns, zone: 'my-zone' } }] : [] };
    const proxied = { ...named, installationProxy: { enabled: true, endpoint: 'http://proxy:8880', noProxy: [] } };
    const { apiEndpoint, proxy } = parse(render(proxied));
    expect(apiEndpoint.alternativeNames).toContain('www.example.com');
    expect(proxy.noProxy.split(',')).toContain('www.example.com');
    expect(JSON.stringify(parse(render(proxied)))).not.toContain('my-zone');
  });

  it('a wildcard is among the names of certificates, and without its star among the hosts that no proxy is asked for', () => {
    const state = twoProviderState({
      installationProxy: { enabled: true, endpoint: 'http://proxy:8880', noProxy: [] },
    });
    const loadBalancers = state.loadBalancers.map((each) => ({
      ...each,
      dns: { ...each.dns, alternativeNames: ['*.apps', '*'] },
    }));
    const { apiEndpoint, proxy } = parse(render({ ...state, loadBalancers }));
    expect(apiEndpoint.alternativeNames).toEqual(expect.arrayContaining(['*.apps.example.com', '*.example.com']));
    expect(proxy.noProxy.split(',')).toEqual(expect.arrayContaining(['.apps.example.com', '.example.com']));
    expect(proxy.noProxy).not.toContain('*');
  });

  it('the KubeOne manifest has a proxy only when one is configured', () => {
    const installationProxy = { enabled: true, endpoint: 'http://proxy:8880', noProxy: [] };
    expect(parse(render()).proxy).toBeUndefined();
    expect(parse(render(twoProviderState({ installationProxy }))).proxy.https).toBe('http://proxy:8880');
  });

  it('the KubeOne manifest has what a site without the internet asks for', async () => {
    const kubernetesOptions: KubernetesOptions = {
      cni: 'canal',
      nodeLocalDNS: false,
      metricsServer: false,
      configureRepositories: false,
      addons: 'site',
      registries: {
        overwrite: 'registry.site.example:5000',
        insecure: true,
        mirrors: [{ registry: 'docker.io', endpoints: ['https://one.example'], skipTlsVerify: true }],
      },
    };
    const state = twoProviderState({ kubernetesOptions });
    const input = { state, facts, keyDirectory: '/work/keys', addonsDirectory: '/opt/kubeloom/templates/addons/site' };
    await expect(renderKubeOneManifest(input)).toMatchFileSnapshot('golden/kubeone-air-gapped.yaml');
  });

  it('kube-proxy is installed with every network but Cilium', () => {
    const network = (cni: 'canal' | 'external') =>
      parse(render(twoProviderState({ kubernetesOptions: { cni } }))).clusterNetwork;
    expect(network('canal')).toEqual({ kubeProxy: { skipInstallation: false }, cni: { canal: { mtu: 1330 } } });
    expect(network('external')).toEqual({ kubeProxy: { skipInstallation: false }, cni: { external: {} } });
    expect(parse(render()).clusterNetwork.kubeProxy).toEqual({ skipInstallation: true });
  });

  it('the API is found under its DNS name before the name is known to exist', () => {
    const state = twoProviderState();
    expect(apiAddress(state, { ...facts, loadBalancers: {} })).toEqual({ host: 'shop.example.com', port: 6443 });
  });
});
