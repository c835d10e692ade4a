#!/usr/bin/env node
import { launch } from '../../../core/bin/launch.mjs';

await launch({ program: 'beacon', plugin: 'beacon' });
