# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""files: reading and writing in every form that the SDK has; metadata."""

import concurrent.futures
import io

from e2b import AuthenticationException, FileNotFoundException, InvalidArgumentException, NotEnoughSpaceException
from e2b import SandboxException
from support import ASYNC, Scenario, drained

BYTES = bytes(i * 31 % 256 for i in range(70_000))
FORMS = {"multipart": {}, "octet-stream": {"use_octet_stream": True}, "gzip": {"gzip": True}}


class Contents(Scenario):
    @property
    def files(self):
        return self.sandbox.files

    def test_every_kind_of_data_and_format(self):
        kinds = {"text": "téxt", "bytes": BYTES, "file": io.BytesIO(BYTES), "lines": io.StringIO("téxt")}
        if not ASYNC:
            kinds["parts"] = iter([BYTES[:100], BYTES[100:]])
        for kind, data in kinds.items():
            with self.subTest(kind):
                self.files.write(f"{self.dir}/{kind}", data)
                expected = "téxt".encode() if kind in ("text", "lines") else BYTES
                self.assertEqual(bytes(self.files.read(f"{self.dir}/{kind}", format="bytes")), expected)
                read = self.files.read(f"{self.dir}/{kind}", format="stream")
                self.assertEqual(drained(read.target if hasattr(read, "target") else read), expected)
        self.assertEqual(self.files.read(f"{self.dir}/text"), "téxt")

    def test_an_empty_file(self):
        self.files.write(f"{self.dir}/e", "")
        self.assertEqual(self.files.read(f"{self.dir}/e"), "")
        self.assertEqual(bytes(self.files.read(f"{self.dir}/e", format="bytes")), b"")

    def test_writing_again_keeps_the_mode(self):
        self.files.write(f"{self.dir}/new/f", "a long first text")
        self.sandbox.commands.run(f"chmod 700 {self.dir}/new/f")
        self.files.write(f"{self.dir}/new/f", "short")
        self.assertEqual(self.files.read(f"{self.dir}/new/f"), "short")
        self.assertEqual(self.files.get_info(f"{self.dir}/new/f").mode, 0o700)

    def test_several_files_in_one_call(self):
        for form, options in FORMS.items():
            with self.subTest(form):
                data = [BYTES if i % 2 else f"text {i}" for i in range(5)]
                files = [{"path": f"{self.dir}/{form}{i}/nä me", "data": one} for i, one in enumerate(data)]
                written = self.files.write_files(files, **options)
                self.assertEqual([one.path for one in written], [one["path"] for one in files])
                for one in files:
                    data = one["data"] if isinstance(one["data"], bytes) else one["data"].encode()
                    self.assertEqual(bytes(self.files.read(one["path"], format="bytes")), data)
                self.assertEqual(self.files.write_files([], **options), [])

    def test_gzip_both_ways(self):
        text = "the same line again and again\n" * 20_000
        self.files.write(f"{self.dir}/z", text, gzip=True)
        self.assertEqual(self.files.read(f"{self.dir}/z", gzip=True), text)
        self.assertEqual(self.files.read(f"{self.dir}/z"), text)
        self.assertEqual(self.files.get_info(f"{self.dir}/z").size, len(text))

    def test_megabytes(self):
        self.files.write(f"{self.dir}/big", io.BytesIO(b"m" * (8 << 20)))
        self.assertEqual(self.sandbox.commands.run(f"tr -d m < {self.dir}/big | wc -c").stdout.strip(), "0")
        self.assertEqual(len(self.files.read(f"{self.dir}/big", format="bytes")), 8 << 20)

    def test_uploads_at_once(self):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda i: self.files.write(f"{self.dir}/same/new/{i}", str(i)), range(8)))
        self.assertEqual(len(self.files.list(f"{self.dir}/same/new")), 8)

    def test_what_cannot_be_written_or_read(self):
        self.files.write(f"{self.dir}/f", "")
        self.fails(InvalidArgumentException, self.files.write, self.dir, "x")
        self.fails(SandboxException, self.files.write, f"{self.dir}/f/below", "x")
        self.fails(InvalidArgumentException, self.files.read, self.dir)
        self.fails(FileNotFoundException, self.files.read, f"{self.dir}/none")
        self.fails(AuthenticationException, self.files.write, f"{self.dir}/x", "x", user="ghost")
        self.fails(InvalidArgumentException, self.files.write, f"{self.dir}/x", "x", gzip=True, use_octet_stream=False)

    def test_a_full_disk(self):
        sandbox = self.own()
        try:
            sandbox.commands.run("head -c 100G /dev/zero > /home/user/all", timeout=0)
        except SandboxException:
            pass
        self.fails(NotEnoughSpaceException, sandbox.files.write, "/home/user/more", b"x" * (4 << 20))

    def test_metadata(self):
        metadata = {"author": "me", "x-purpose": "a b=c;d"}
        for form, options in FORMS.items():
            with self.subTest(form):
                path = f"{self.dir}/{form}"
                self.assertEqual(self.files.write(path, "x", metadata=metadata, **options).metadata, metadata)
                self.assertEqual(self.files.get_info(path).metadata, metadata)
                self.assertIn(metadata, [one.metadata for one in self.files.list(self.dir)])
                self.assertEqual(self.files.rename(path, f"{path}2").metadata, metadata)
                self.assertIsNone(self.files.write(f"{path}2", "y", **options).metadata)
                self.assertIsNone(self.files.get_info(f"{path}2").metadata)
        self.fails(InvalidArgumentException, self.files.write, f"{self.dir}/x", "x", metadata={"bad key": "x"})
