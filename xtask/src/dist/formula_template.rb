# Written by `cargo xtask dist --finish`.
class Loopbreak < Formula
  desc "Circuit breaker for autonomous agents"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@RELEASES@/download/v@VERSION@/loopbreak-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SUM aarch64-apple-darwin@"
    end
    on_intel do
      url "@RELEASES@/download/v@VERSION@/loopbreak-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SUM x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@RELEASES@/download/v@VERSION@/loopbreak-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SUM aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@RELEASES@/download/v@VERSION@/loopbreak-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SUM x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "loopbreak"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/loopbreak.bash" => "loopbreak"
    fish_completion.install "completions/loopbreak.fish"
    zsh_completion.install "completions/_loopbreak"
  end

  test do
    assert_equal "loopbreak #{version}", shell_output("#{bin}/loopbreak -V").strip
    (testpath/"run.jsonl").write "{\"run\":\"a\",\"action\":\"north\",\"outcome\":\"A wall.\"}\n" * 12
    assert_match "1 run", shell_output("#{bin}/loopbreak analyze run.jsonl --quiet")
  end
end
