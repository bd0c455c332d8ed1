// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type CertificateSchema, FrameHeaderSchema } from "@viewer/gen/sluice/v1/frames_pb";
import { certificateWords } from "@viewer/panels/certificate_words";
import { FrameDecoder } from "@viewer/stream/decode_frame";

function decoded(certificate?: MessageInitShape<typeof CertificateSchema>) {
  const header = create(FrameHeaderSchema, { statistics: certificate === undefined ? {} : { certificate } });
  return new FrameDecoder().decode({ header, arrays: [] }).figures?.certificate;
}

function words(certificate: MessageInitShape<typeof CertificateSchema>): string {
  const figures = decoded(certificate);
  return figures === undefined ? "" : certificateWords(figures);
}

test("a frame that was checked says how often anything crossed", () => {
  expect(words({ substepCount: 1200n })).toBe("0 in 1,200 substeps");
  expect(words({ substepCount: 3n, crossingCount: 2n, jumpCount: 1n, firstCrossing: "a particle of \"water\"" }))
    .toBe("2 in 3 substeps, 1 jumps: a particle of \"water\"");
});

test("one that was not checked says nothing", () => {
  expect(decoded()).toBeUndefined();
});
