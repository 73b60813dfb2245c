// Where things are. Every folder below is git-ignored and may be deleted at any time.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const project = dirname(dirname(fileURLToPath(import.meta.url)));
export const toolchainFolder = join(project, '.toolchain');
export const buildFolder = join(project, 'build');
export const logFolder = join(buildFolder, 'logs');
export const stampFolder = join(buildFolder, 'stamps');
export const distFolder = join(project, 'dist');
