package sample;

import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.handler.annotation.XxlJob;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The jobs of this executor: a method each, named by its annotation. */
public final class SampleJobs {
    private final Map<String, Integer> attempts = new ConcurrentHashMap<>();

    /** Says what it was asked, and where it stands among the shards. */
    @XxlJob("echoJobHandler")
    public void echo() {
        XxlJobHelper.log("param={} shard={}/{}",
                XxlJobHelper.getJobParam(), XxlJobHelper.getShardIndex(), XxlJobHelper.getShardTotal());
        XxlJobHelper.handleSuccess("echo " + XxlJobHelper.getJobParam());
    }

    /** Counts the parameter's seconds, with a log line each. Ends when it is interrupted. */
    @XxlJob("countJobHandler")
    public void count() throws InterruptedException {
        int seconds = Integer.parseInt(XxlJobHelper.getJobParam());
        for (int n = 1; n <= seconds; n++) {
            XxlJobHelper.log("second {} of {}", n, seconds);
            TimeUnit.SECONDS.sleep(1);
        }
    }

    /** Fails as often as the parameter says, then succeeds: "2 nightly" counts for "nightly". */
    @XxlJob("flakyJobHandler")
    public void flaky() {
        String[] words = XxlJobHelper.getJobParam().split(" ", 2);
        int attempt = attempts.merge(words[1], 1, Integer::sum);
        if (attempt <= Integer.parseInt(words[0])) {
            throw new IllegalStateException("attempt " + attempt + " fails <on purpose> & 'loudly'");
        }
        XxlJobHelper.handleSuccess("attempt " + attempt + " succeeds");
    }
}
