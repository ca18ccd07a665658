/** The Vault contract suite against a real server. */
import { vaultContract } from '#test/vault/vault.contract.ts';
import { startRealVault } from './real-vault.ts';

vaultContract('HashiCorp Vault', startRealVault);
