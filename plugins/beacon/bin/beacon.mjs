#!/usr/bin/env node
// biome-ignore lint/style/noRestrictedImports: a program of its own that only says which commands it offers
import { launch } from '../../../core/bin/launch.mjs';

await launch({ program: 'beacon', plugin: 'beacon' });
