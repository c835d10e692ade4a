/** Settings of the reviews plugin. */
import { z } from 'zod';
import { mailAddress, mailServerFields, sendsMail } from '../../core/outgoing.js';

export const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

const digestSettings = z.strictObject({
  mail: z
    .strictObject(mailServerFields())
    .refine((mail) => sendsMail(mail) && !(mail.server && mail.file), {
      error: 'must have a server, or a file in its place',
    })
    .refine(({ sender, username = '' }) => sender !== undefined || username.includes('@'), {
      path: ['sender'],
      error: 'is missing: the user name is no e-mail address',
    })
    .describe('from where the mail is sent'),
  to: z.array(mailAddress).default([]).describe('who is told of the cases of the whole server'),
  tenants: z
    .record(z.string(), z.array(mailAddress).min(1))
    .default({})
    .describe('by name of a tenant: who is told of its cases alone'),
  weekday: z.enum(weekdays).default('monday').describe('day of the mail'),
  hour: z.int().min(0).max(23).default(6).describe('hour of the mail, in UTC'),
  language: z.enum(['en', 'sv']).default('en').describe('language of the mail'),
});

export type DigestSettings = z.infer<typeof digestSettings>;

export const reviewSettings = z.strictObject({
  keepDays: z
    .number()
    .positive()
    .max(36_500)
    .optional()
    .describe('days after the conclusion for which a statement is kept that says nothing else; omitted: for good'),
  populationFrequency: z
    .strictObject({
      dominant: z
        .number()
        .min(0)
        .max(1)
        .default(0.000_01)
        .describe('largest frequency of an allele of which one copy suffices'),
      recessive: z.number().min(0).max(1).default(0.01).describe('largest frequency of an allele of a recessive gene'),
    })
    .prefault({})
    .describe(
      'how rare an allele has to be in the population to be worth a look; frequencies that are not known count as rare',
    ),
  digest: digestSettings
    .optional()
    .describe('a mail each week with the number of new findings by reason, without cases; omitted: none'),
  nightly: z
    .int()
    .min(0)
    .max(23)
    .default(1)
    .describe('hour, in UTC, after which all statements are asked again each day'),
});

export type ReviewSettings = z.infer<typeof reviewSettings>;
